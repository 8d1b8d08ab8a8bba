import { passFunctions } from "../../chains/pass_functions.ts";
import type { MemoryJob } from "../job.ts";
import { strategyOf } from "./strategy_of.ts";
import { webSource } from "./web_source.ts";

/** The classes of web streams, the runtime's own or another make. */
export interface WebClasses {
  readonly Readable: new (source: UnderlyingDefaultSource, by?: QueuingStrategy) => ReadableStream;
  readonly Transform: new (
    transformer: Transformer,
    writableBy?: QueuingStrategy,
    readableBy?: QueuingStrategy,
  ) => TransformStream;
  readonly Writable: new (sink: UnderlyingSink, by?: QueuingStrategy) => WritableStream;
}

/** Runs a job as a chain of web streams. */
export async function pipeWeb(
  job: MemoryJob,
  { Readable, Transform, Writable }: WebClasses,
): Promise<void> {
  const strategy = strategyOf(job);
  let stream = new Readable(webSource(job), strategy);
  for (const pass of passFunctions(job.stages)) {
    const passer: Transformer = {
      transform: (chunk, controller) => controller.enqueue(pass(chunk)),
    };
    stream = stream.pipeThrough(new Transform(passer, strategy, strategy));
  }
  await stream.pipeTo(new Writable({ write: (chunk) => job.take(chunk) }, strategy));
}
