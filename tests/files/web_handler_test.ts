import { test } from "node:test";
import { assertEquals } from "@std/assert";
import type { FileAnswer } from "../../src/files/file_request.ts";
import { readSettings } from "../../src/files/read_settings.ts";
import { webHandler } from "../../src/files/web_handler.ts";

/** A file of zeros that notes what is read of it. */
function zeros(size: number) {
  const reads: [position: number, length: number][] = [];
  let closes = 0;
  const file = {
    facts: { size },
    read(buffer: Uint8Array, position: number) {
      reads.push([position, buffer.length]);
      buffer.fill(0);
      return Promise.resolve(buffer.length);
    },
    close() {
      closes++;
      return Promise.resolve();
    },
  };
  return { reads, closes: () => closes, file };
}

for (const mode of ["stream", "buffer"] as const) {
  test(`a short range of a long file reads ${mode === "stream" ? "that alone" : "all"}: ${mode}`, async () => {
    const { reads, closes, file } = zeros(100_000);
    const body = { file, range: { start: 50_000, end: 50_010 } } as unknown as FileAnswer["body"];
    const answer = () => Promise.resolve({ status: 206, headers: {}, body } as FileAnswer);
    const handler = webHandler(
      answer,
      readSettings("send file", { mode }, "function", false),
      {},
    );
    const response = await handler(new Request("http://localhost/a"));
    assertEquals([response.status, (await response.bytes()).length], [206, 10]);
    assertEquals(reads, mode === "stream" ? [[50_000, 10]] : [[0, 100_000]]);
    assertEquals(closes(), 1);
  });
}
