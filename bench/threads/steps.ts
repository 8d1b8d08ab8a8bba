import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { ThreadsKind } from "./job.ts";

interface Order {
  readonly id: number;
  readonly total: number;
  readonly isPaid: boolean;
}

const decoder = new TextDecoder();
const address = /([a-z0-9.]+)@([a-z0-9-]+\.)+(com|org|net)\b/g;

/** A line of JSON, filtered and projected; nothing if it is left out. */
export function projectLine(line: string): string {
  const { id, total, isPaid } = JSON.parse(line) as Order;
  return isPaid ? `${JSON.stringify({ id, total: Math.round(total * 1.19) })}\n` : "";
}

const encoder = new TextEncoder();

/** Whole lines of NDJSON, filtered and projected. */
export function projectLines(bytes: Uint8Array): Uint8Array {
  let text = "";
  for (const line of decoder.decode(bytes).split("\n")) if (line !== "") text += projectLine(line);
  return encoder.encode(text);
}

/** How many addresses a text has, and how long they are. */
export function matchAddresses(text: string): number {
  let length = 0;
  for (const [found] of text.matchAll(address)) length += found.length;
  return length;
}

export function hash(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export function compress(bytes: Uint8Array): Uint8Array {
  return gzipSync(bytes, { level: 1 });
}

export function addOne(value: number): number {
  return value + 1;
}

const steps: Readonly<Record<ThreadsKind, (chunk: never) => unknown>> = {
  ...{ ndjson: projectLines, gzip: compress, match: matchAddresses, hash, tiny: addOne },
};

/** What is done with one chunk; of `ndjson`, with whole lines. */
export function stepOf(kind: ThreadsKind): (chunk: unknown) => unknown {
  return steps[kind] as (chunk: unknown) => unknown;
}

/** How many chunks the pools are given at a time, as their users would: 64 KiB, or 256 small ones. */
export function batchOf(kind: ThreadsKind): number {
  return kind === "match" || kind === "tiny" ? 256 : 1;
}
