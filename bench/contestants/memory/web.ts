import type { RunMemory } from "./job.ts";
import { pipeWeb } from "./lib/pipe_web.ts";

export const web: RunMemory = (job) =>
  pipeWeb(job, { Readable: ReadableStream, Transform: TransformStream, Writable: WritableStream });
