import { Effect, Stream } from "effect";
import type { Chunk, RunChain } from "../job.ts";

const asIs = (error: unknown) => error;

export const effect: RunChain = async ({ source, isBatched, steps, write }) => {
  const read: Stream.Stream<Chunk, unknown> = Stream.fromAsyncIterable(source(), asIs);
  let chunks = isBatched ? Stream.flattenIterable(read) : read;
  for (const step of steps) {
    chunks = step.kind === "map" ? Stream.map(chunks, step.fn) : Stream.filter(chunks, step.fn);
  }
  const writeAll = (group: readonly Chunk[]) =>
    Effect.tryPromise({
      async try() {
        for (const chunk of group) {
          const written = write(chunk);
          if (written) await written;
        }
      },
      catch: asIs,
    });
  await Effect.runPromise(Stream.runForEachArray(chunks, writeAll));
};
