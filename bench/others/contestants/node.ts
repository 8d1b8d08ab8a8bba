import { PassThrough, Readable, Transform, Writable } from "node:stream";
import { pipeline as runPipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import type { OthersJob, RunOthers, StageWork } from "../job.ts";
import { transformChunk } from "../transform_chunk.ts";

function open({ chunk, chunks }: OthersJob): Readable {
  let left = chunks;
  return new Readable({
    read() {
      this.push(left-- > 0 ? chunk : null);
    },
  });
}

function stagesOf(work: StageWork): Transform[] {
  if (work === "gzip") return [createGzip(), createGunzip()];
  if (work === "expand") {
    return [
      new Transform({
        transform(chunk, _, done) {
          this.push(chunk);
          done(null, chunk);
        },
      }),
    ];
  }
  const change = transformChunk[work];
  if (work === "async") {
    return [
      new Transform({
        transform(chunk, _, done) {
          (change(chunk) as Promise<Uint8Array>).then((value) => done(null, value), done);
        },
      }),
    ];
  }
  return [
    new Transform({
      transform(chunk, _, done) {
        done(null, change(chunk));
      },
    }),
  ];
}

const sink = ({ take }: OthersJob) =>
  new Writable({
    write(chunk, _, done) {
      take(chunk);
      done();
    },
  });

/** A row on node:stream, as Node's benchmarks write it. */
export const node: RunOthers = async (job) => {
  const stages = job.stages.flatMap(stagesOf);
  if (job.shape === "tee") {
    const source = new PassThrough();
    const sinks = Array.from({ length: job.readers }, () => sink(job));
    await Promise.all([
      runPipeline(open(job), source),
      ...sinks.map((one) => new Promise((resolve) => source.pipe(one).on("finish", resolve))),
    ]);
  } else if (job.shape === "pipe" || job.shape === "read") {
    await runPipeline([open(job), ...stages, sink(job)]);
  } else if (job.shape === "write") {
    const one = sink(job);
    for (let count = 0; count < job.chunks; count++) {
      if (!one.write(job.chunk)) await new Promise((resolve) => one.once("drain", resolve));
    }
    await new Promise<void>((resolve) => one.end(resolve));
  } else {
    for await (const chunk of open(job)) job.take(chunk);
  }
};
