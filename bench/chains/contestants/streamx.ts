import { pipelinePromise, Readable, Transform, Writable } from "streamx";
import type { Chunk, RunChain } from "../job.ts";
import { sinkWritableOptions } from "../sink_writable_options.ts";

export const streamx: RunChain = async (job) => {
  const { source, isBatched, steps } = job;
  const stages = steps.map(({ kind, fn }) =>
    new Transform({
      transform: kind === "map"
        ? (chunk, callback) => callback(null, fn(chunk))
        : (chunk, callback) => callback(null, fn(chunk) ? chunk : undefined),
    })
  );
  const flatten = new Transform({
    transform(batch, callback) {
      for (const chunk of batch as Chunk[]) this.push(chunk);
      callback(null, undefined);
    },
  });
  const { write } = sinkWritableOptions(job);
  const sink = new Writable({
    write: (chunk, callback) =>
      write!.call(undefined as never, chunk, "utf8", (error) => callback(error ?? null)),
  });
  await pipelinePromise(Readable.from(source()), ...isBatched ? [flatten] : [], ...stages, sink);
};
