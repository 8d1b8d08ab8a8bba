import { WriteStream } from "node:fs";
import { OutgoingMessage } from "node:http";
import { Socket } from "node:net";
import type { Writable } from "node:stream";
import * as zlib from "node:zlib";
import { isStandard } from "../src/standard_stream.ts";

/** The classes of node:zlib, whose base it does not export; runtimes lack some. */
const compressions = [
  "Gzip",
  "Gunzip",
  "Deflate",
  "Inflate",
  "DeflateRaw",
  "InflateRaw",
  "Unzip",
  "BrotliCompress",
  "BrotliDecompress",
  "ZstdCompress",
  "ZstdDecompress",
] as const;

/** Whether only the bytes of what a stream is given matter: files, sockets, HTTP messages, compression, and what inherits. */
export function takesAnyBytes(stream: Writable): boolean {
  if (stream.writableObjectMode) return false;
  const { _writableState: state } = stream as { _writableState?: { defaultEncoding?: string } };
  // Base64 and hex of two texts are not those of both in one.
  if (!/^utf-?8$/i.test(state?.defaultEncoding ?? "utf8")) return false;
  if (isStandard(stream)) return true;
  if (
    stream instanceof WriteStream || stream instanceof Socket || stream instanceof OutgoingMessage
  ) return true;
  const classes = zlib as Partial<Record<string, unknown>>;
  return compressions.some((name) => {
    const one = classes[name];
    return typeof one === "function" && stream instanceof one;
  });
}
