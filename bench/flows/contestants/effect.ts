import { Effect, Stream } from "effect";
import { concurrency, perSecond, type RunFlow } from "../job.ts";

const asIs = (error: unknown) => error;

export const effect: RunFlow = async ({ kind, open, openInner, take }) => {
  const numbers = Stream.fromAsyncIterable(open(), asIs);
  const values = kind === "inner"
    ? Stream.flatMap(numbers, (n) => Stream.fromAsyncIterable(openInner(n), asIs), { concurrency })
    : Stream.throttle(numbers, {
      ...{ cost: (chunk) => chunk.length, units: perSecond, duration: "1 second" },
      strategy: "shape",
    });
  await Effect.runPromise(Stream.runForEach(values, (value) => Effect.sync(() => take(value))));
};
