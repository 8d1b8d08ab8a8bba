import type * as Library from "../../mod.ts";
import { probe } from "../../src/inspect/mod.ts";
import type { MakePair } from "./run_fuse.ts";
import type { Piping } from "./run_pipeline.ts";

/** What runs schedules: as one pair of streams, and from a source into a sink. */
export interface Implementation {
  readonly makePair: MakePair;
  readonly piping: Piping;
  /** How many assertions of its own have failed so far. */
  readonly trips: () => number;
}

/** The classes of the streams standard, as the platform has them and as the reference has. */
export type StreamClasses = Pick<
  typeof globalThis,
  "ReadableStream" | "WritableStream" | "TransformStream"
>;

function ignore(): void {}

/** Streams of a standard, one for each stage. */
export function standardOf(
  classes: StreamClasses,
  trips: () => number = () => 0,
): Implementation {
  const { ReadableStream, WritableStream, TransformStream } = classes;
  return {
    trips,
    makePair(transformers, writableStrategy, readableStrategy) {
      const last = transformers.length - 1;
      const streams = transformers.map((transformer, index) =>
        new TransformStream(
          transformer,
          index === 0 ? writableStrategy : {},
          index === last ? readableStrategy : {},
        )
      );
      const readable = streams.slice(1).reduce(
        (before, stream) => before.pipeThrough(stream),
        streams[0]!.readable,
      );
      return { writable: streams[0]!.writable, readable };
    },
    piping: {
      ReadableStream,
      WritableStream,
      async pipe(source, transformers, sink, signal) {
        const streams = transformers.map((transformer) => new TransformStream(transformer));
        let readable = source;
        for (const stream of streams) readable = readable.pipeThrough(stream);
        const piped = readable.pipeTo(sink, { signal });
        piped.catch(ignore);
        await piped;
      },
    },
  };
}

/** The library between the platform's streams. */
export function libraryOf({ fuse, pipeline }: typeof Library): Implementation {
  const fuseAny = fuse as (...args: readonly unknown[]) => ReadableWritablePair<unknown, unknown>;
  const run = pipeline as (...args: readonly unknown[]) => Promise<unknown>;
  return {
    trips: () => 0,
    makePair: (transformers, writableStrategy, readableStrategy) =>
      fuseAny(...transformers, { writableStrategy, readableStrategy }),
    piping: {
      ReadableStream,
      WritableStream,
      pipe: (source, transformers, sink, signal) => run(source, ...transformers, sink, { signal }),
    },
  };
}

/** The same with every part probed that it is given. */
export function probedOf(implementation: Implementation): Implementation {
  const { makePair, piping } = implementation;
  const lookAt = (transformers: readonly Transformer<unknown, unknown>[]) => {
    const look = probe({ capacity: 16 });
    return { look, parts: transformers.map((transformer) => look.transformer(transformer)) };
  };
  return {
    ...implementation,
    makePair: (transformers, ...strategies) => makePair(lookAt(transformers).parts, ...strategies),
    piping: {
      ...piping,
      pipe(source, transformers, sink, signal) {
        const { look, parts } = lookAt(transformers);
        // An iterable, which pipeline takes as it takes a stream.
        const looked = look.reader(source) as unknown as typeof source;
        return piping.pipe(looked, parts, sink, signal);
      },
    },
  };
}
