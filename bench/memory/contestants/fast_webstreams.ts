import {
  FastReadableStream,
  FastTransformStream,
  FastWritableStream,
} from "experimental-fast-webstreams";
import type { RunMemory } from "../job.ts";
import { pipeWeb } from "../steps/pipe_web.ts";

export const fastWebstreams: RunMemory = (job) =>
  pipeWeb(job, {
    Readable: FastReadableStream,
    Transform: FastTransformStream,
    Writable: FastWritableStream,
  });
