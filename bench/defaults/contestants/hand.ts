import { createWriteStream } from "node:fs";
import { once } from "node:events";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { answer } from "../answer.ts";
import type { Job, Jobs } from "../job.ts";

const blockLength = 65_536;

function* blocksOf({ rows }: Job): Generator<string> {
  let block = "";
  for (const row of rows()) {
    block += `${JSON.stringify(row)}\n`;
    if (block.length < blockLength) continue;
    yield block;
    block = "";
  }
  yield block;
}

async function write(job: Job, stream: Writable): Promise<void> {
  for (const block of blocksOf(job)) if (!stream.write(block)) await once(stream, "drain");
  stream.end();
  await once(stream, "finish");
}

export const hand: Jobs = {
  file: (job) => write(job, createWriteStream(job.outputPath)),
  async gzip(job) {
    const gzip = createGzip();
    await Promise.all([write(job, gzip), pipeline(gzip, createWriteStream(job.outputPath))]);
  },
  response: (job) => answer((response) => write(job, response)),
  body(job) {
    const encoder = new TextEncoder();
    const blocks = blocksOf(job);
    const body = new ReadableStream({
      pull(controller) {
        const { done, value } = blocks.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
    }, { highWaterMark: 0 });
    return new Response(body).bytes();
  },
  bytes: (job) => Promise.resolve(new TextEncoder().encode([...blocksOf(job)].join(""))),
};
