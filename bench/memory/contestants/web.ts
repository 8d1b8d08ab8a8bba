import type { RunMemory } from "../job.ts";
import { pipeWeb } from "../steps/pipe_web.ts";

export const web: RunMemory = (job) =>
  pipeWeb(job, { Readable: ReadableStream, Transform: TransformStream, Writable: WritableStream });
