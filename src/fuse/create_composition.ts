import type { Transformer } from "../web_types.ts";
import { ComposedStream } from "./composed_stream.ts";

/** What one reading of `start` and one of `cancel` have in common: the streams that were made with them. */
interface Link {
  readonly streams: Set<ComposedStream>;
  readonly given: Set<"start" | "cancel">;
}

/** Makes the dictionary that runs `stages` in transform streams. */
export function createComposition(stages: readonly unknown[]): Transformer<unknown, unknown> {
  const streams = new WeakMap<object, ComposedStream>();
  const open = new Set<ComposedStream>();
  let link: Link = { streams: new Set(), given: new Set() };

  // The standard calls `cancel` without a controller, but reads it anew for each stream, next to `start`: that tells
  // whose it is.
  const linkOf = (name: "start" | "cancel"): Link => {
    if (link.given.has(name)) link = { streams: new Set(), given: new Set() };
    link.given.add(name);
    return link;
  };
  const openStream = (controller: TransformStreamDefaultController<unknown>, own?: Link) => {
    const stream = new ComposedStream(stages, controller, () => {
      open.delete(stream);
      own?.streams.delete(stream);
    });
    streams.set(controller, stream);
    open.add(stream);
    own?.streams.add(stream);
    return stream;
  };
  const streamOf = (controller: TransformStreamDefaultController<unknown>) =>
    streams.get(controller) ?? openStream(controller);

  return Object.freeze({
    get start() {
      const own = linkOf("start");
      return (controller: TransformStreamDefaultController<unknown>): void =>
        void openStream(controller, own);
    },
    transform: (chunk: unknown, controller: TransformStreamDefaultController<unknown>) =>
      streamOf(controller).transform(chunk),
    flush: (controller: TransformStreamDefaultController<unknown>) => streamOf(controller).flush(),
    get cancel() {
      const own = linkOf("cancel");
      return (reason: unknown): void | Promise<void> => {
        const candidates = own.streams.size > 0 ? own.streams : open;
        const [stream] = candidates;
        // Of several nobody is cancelled wrongly: the one that was meant learns of it when it next gives a chunk.
        if (candidates.size === 1) return stream!.cancel(reason);
        for (const candidate of candidates) candidate.doubt();
      };
    },
  });
}
