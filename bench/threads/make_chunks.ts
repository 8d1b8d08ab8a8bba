import type { ThreadsKind } from "./job.ts";

const blockSize = 65_536;

/** What a thousand chunks are of each kind; a block has 64 KiB. */
export const shares: Readonly<Record<ThreadsKind, number>> = {
  ...{ ndjson: 1, gzip: 1, match: 10, hash: 4, tiny: 2000 },
};

function linesOf(length: number): Uint8Array {
  let text = "";
  for (let id = 0; text.length < length; id++) {
    const total = id * 7919 % 100_003 / 100;
    text += `${
      JSON.stringify({ id, total, isPaid: id % 4 > 0, name: `customer ${id}`, note: "x" })
    }\n`;
  }
  return new TextEncoder().encode(text);
}

function cutBlocks(bytes: Uint8Array): Uint8Array[] {
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += blockSize) blocks.push(bytes.slice(at, at + blockSize));
  return blocks;
}

/** The chunks of so many blocks of work. */
export function makeChunks(kind: ThreadsKind, blocks: number): unknown[] {
  const count = Math.ceil(blocks * shares[kind]);
  if (kind === "tiny") return Array.from({ length: count }, (_, index) => index);
  if (kind === "match") {
    const words = "write to ann.smith@mail.example.com or to no one at all, please ".repeat(70);
    return Array.from({ length: count }, (_, index) => `${words}${index}@example.org`);
  }
  return cutBlocks(linesOf(count * blockSize));
}
