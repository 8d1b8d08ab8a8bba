import { passFunctions } from "../../chains/pass_functions.ts";
import type { MemoryJob } from "../job.ts";
import { webSource } from "./web_source.ts";

/** The classes of web streams, the runtime's own or another make. */
export interface WebClasses {
  readonly Readable: new (source: UnderlyingDefaultSource) => ReadableStream;
  readonly Transform: new (transformer: Transformer) => TransformStream;
  readonly Writable: new (sink: UnderlyingSink) => WritableStream;
}

/** Runs a job as a chain of web streams. */
export async function pipeWeb(
  job: MemoryJob,
  { Readable, Transform, Writable }: WebClasses,
): Promise<void> {
  let stream = new Readable(webSource(job));
  for (const pass of passFunctions(job.stages)) {
    const passer: Transformer = {
      transform: (chunk, controller) => controller.enqueue(pass(chunk)),
    };
    stream = stream.pipeThrough(new Transform(passer));
  }
  await stream.pipeTo(new Writable({ write: (chunk) => job.take(chunk) }));
}
