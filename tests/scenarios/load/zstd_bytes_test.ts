import { Buffer } from "node:buffer";
import { Readable } from "node:stream";
import { test } from "node:test";
import { zstdCompressSync } from "node:zlib";
import { assertEquals, assertRejects } from "@std/assert";
import { zstdBytes } from "../../../scenarios/load/command.ts";

async function textOf(bytes: Uint8Array, step: number): Promise<string> {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += step) parts.push(bytes.subarray(at, at + step));
  const decoder = new TextDecoder();
  let text = "";
  for await (const part of zstdBytes(Readable.from(parts))) {
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}

const skippable = Uint8Array.of(0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3);
const long = "a text that is of some length, ".repeat(20_000);
const frames = ["one, ", "", "two, ", long, "three"].map((text) => zstdCompressSync(text));

test("zstdBytes reads all frames of a file, however its bytes come", async () => {
  const bytes = Buffer.concat([frames[0]!, skippable, ...frames.slice(1)]);
  for (const step of [1, 7, 60, bytes.length]) {
    assertEquals(await textOf(bytes, step), `one, two, ${long}three`, `${step}`);
  }
});

test("zstdBytes fails where a frame is cut off, also after whole ones", async () => {
  const bytes = Buffer.concat(frames);
  for (const length of [0, 3, bytes.length - 1, frames[0]!.length + 5]) {
    for (const step of [1, bytes.length]) {
      await assertRejects(() => textOf(bytes.subarray(0, length), step), Error);
    }
  }
});
