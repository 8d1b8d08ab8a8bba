import { parentPort } from "node:worker_threads";
import type { ThreadsKind } from "../job.ts";
import { stepOf } from "../steps.ts";

interface Ends {
  readonly kind: ThreadsKind;
  readonly readable: ReadableStream<unknown>;
  readonly writable: WritableStream<unknown>;
}

parentPort!.on("message", ({ kind, readable, writable }: Ends) => {
  const step = stepOf(kind);
  const transform = (chunk: unknown, controller: TransformStreamDefaultController) =>
    controller.enqueue(step(chunk));
  void readable.pipeThrough(new TransformStream({ transform })).pipeTo(writable);
});
