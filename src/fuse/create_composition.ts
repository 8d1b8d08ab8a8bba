import type { Transformer } from "../web_types.ts";
import { ComposedStream } from "./composed_stream.ts";

type Controller = TransformStreamDefaultController<unknown>;

/** One reading of `start` and `cancel`, and the streams that were made with it: one, unless the dictionary was copied. */
class Reading {
  readonly given = new Set<"start" | "cancel">();
  readonly streams = new Set<ComposedStream>();
  isUsed = false;

  add(stream: ComposedStream): void {
    this.isUsed = true;
    this.streams.add(stream);
  }

  cancel(reason: unknown): void | Promise<void> {
    const [stream] = this.streams;
    if (this.streams.size === 1) return stream!.cancel(reason);
    // Of several none is cancelled wrongly: the one that was meant learns of it when it next gives a chunk.
    for (const candidate of this.streams) candidate.doubt();
  }
}

/**
 * Makes the dictionary that runs `stages` in transform streams. The standard calls `cancel` without a controller, but
 * reads it again for each stream, next to `start` and before it calls that: so each reading gives a function of its own.
 */
export function createComposition(stages: readonly unknown[]): Transformer<unknown, unknown> {
  const streams = new WeakMap<object, ComposedStream>();
  let reading = new Reading();
  let lastCancel = reading;

  const read = (name: "start" | "cancel"): Reading => {
    if (reading.given.has(name)) reading = new Reading();
    reading.given.add(name);
    return reading;
  };
  const open = (controller: Controller, own: Reading | undefined): ComposedStream => {
    // If other code has read `cancel` alone before, the last one read is the stream's.
    const readings = [own, lastCancel.isUsed ? undefined : lastCancel];
    const stream = new ComposedStream(stages, controller, () => {
      for (const reading of readings) reading?.streams.delete(stream);
    });
    streams.set(controller, stream);
    for (const reading of readings) reading?.add(stream);
    return stream;
  };
  const streamOf = (controller: Controller) =>
    streams.get(controller) ?? open(controller, undefined);

  return Object.freeze({
    get start() {
      const own = read("start");
      return (controller: Controller): void => void open(controller, own);
    },
    transform: (chunk: unknown, controller: Controller) => streamOf(controller).transform(chunk),
    flush: (controller: Controller) => streamOf(controller).flush(),
    get cancel() {
      const own = lastCancel = read("cancel");
      return (reason: unknown) => own.cancel(reason);
    },
  });
}
