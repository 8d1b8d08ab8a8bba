import type { MemoryJob } from "../job.ts";

/** What `node:stream` constructors take for a job's buffers; strings stay strings in byte mode too. */
export interface NodeOptions {
  readonly objectMode: boolean;
  readonly highWaterMark?: number;
  readonly encoding?: "utf8";
  readonly decodeStrings?: false;
}

/** Says a job's buffers as `node:stream` takes them. */
export function nodeOptions({ chunk, isObjectMode, highWaterMark }: MemoryJob): NodeOptions {
  return {
    objectMode: isObjectMode,
    ...(highWaterMark === undefined ? {} : { highWaterMark }),
    ...(typeof chunk === "string" && !isObjectMode
      ? { encoding: "utf8", decodeStrings: false }
      : {}),
  };
}
