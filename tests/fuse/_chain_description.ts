import fc from "fast-check";
import { randomOperators } from "./_random_operators.ts";

/** What `start`, `flush` or `cancel` of a stage does. */
export interface HookDescription {
  readonly mode: "none" | "log" | "enqueue" | "throw" | "error" | "terminate";
  readonly isAsync: boolean;
  readonly delay: number;
  readonly kind: number;
}

export interface FailureDescription {
  /** The call of `transform` that fails, from 0. */
  readonly at: number;
  /** How many chunks that call enqueues before. */
  readonly after: number;
  readonly how: "throw" | "error" | "terminate";
  readonly kind: number;
}

export interface StageDescription {
  /** `raw`, or the name of a row of the table of operators. */
  readonly operator: string;
  /** "mixed" answers every other call with a promise. */
  readonly timing: "sync" | "async" | "mixed";
  /** Microtasks that a promise takes. */
  readonly delay: number;
  /** How many chunks come of one; how many are taken, dropped, batched or in flight. */
  readonly size: number;
  /** The kind of iterable that flatMap is given; whether a raw stage waits between its chunks. */
  readonly shape: 0 | 1 | 2 | 3;
  readonly isLogged: boolean;
  readonly failure: FailureDescription | undefined;
  readonly start: HookDescription;
  readonly flush: HookDescription;
  readonly cancel: HookDescription;
}

export interface ChainDescription {
  readonly stages: readonly StageDescription[];
  readonly source: {
    readonly count: number;
    /** "abort": chunks are written by hand, and then the writable side is aborted. */
    readonly ending: "close" | "error" | "abort";
    readonly highWaterMark: number;
    readonly delay: number;
    readonly kind: number;
    /** What `pipeline` is given: an array or generator, an async generator, a ReadableStream. */
    readonly shape: 0 | 1 | 2;
  };
  readonly consumer: {
    /** Cancels once it has read so many chunks. */
    readonly cancelAfter: number | undefined;
    readonly delay: number;
    readonly kind: number;
    readonly isStream: boolean;
  };
  readonly writableStrategy: StrategyDescription;
  readonly readableStrategy: StrategyDescription;
}

export interface StrategyDescription {
  readonly highWaterMark: number | undefined;
  /** The size of every second chunk, the others being 1; undefined: no size function. */
  readonly size: number | undefined;
}

const kind = fc.constantFrom(0, 0, 0, 1, 2, 3);
const delay = fc.integer({ min: 0, max: 5 });

function hook(
  ...modes: [weight: number, mode: HookDescription["mode"]][]
): fc.Arbitrary<HookDescription> {
  return fc.record({
    mode: fc.oneof(...modes.map(([weight, mode]) => ({ weight, arbitrary: fc.constant(mode) }))),
    isAsync: fc.boolean(),
    delay,
    kind,
  });
}

const failure: fc.Arbitrary<FailureDescription> = fc.record({
  at: fc.integer({ min: 0, max: 8 }),
  after: fc.integer({ min: 0, max: 3 }),
  how: fc.constantFrom("throw", "error", "terminate"),
  kind,
});

const stage: fc.Arbitrary<StageDescription> = fc.record({
  operator: fc.oneof(
    { weight: 6, arbitrary: fc.constant("raw") },
    {
      weight: 8,
      arbitrary: fc.constantFrom(...randomOperators.keys()),
    },
  ),
  timing: fc.constantFrom("sync", "sync", "async", "mixed"),
  delay,
  size: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 4 }) },
    { weight: 4, arbitrary: fc.constant(1) },
    { weight: 1, arbitrary: fc.integer({ min: 5, max: 50 }) },
  ),
  shape: fc.constantFrom(0, 1, 2, 3),
  isLogged: fc.boolean(),
  failure: fc.option(failure, { freq: 7, nil: undefined }),
  start: hook([30, "none"], [10, "log"], [3, "enqueue"], [1, "throw"], [1, "error"], [
    1,
    "terminate",
  ]),
  flush: hook([12, "none"], [12, "log"], [6, "enqueue"], [1, "throw"], [1, "error"], [
    1,
    "terminate",
  ]),
  cancel: hook([2, "none"], [10, "log"], [2, "throw"]),
});

const few = fc.array(stage, { maxLength: 2, size: "max" });

/** So many maps in a row that the engine runs them as one; most of them answer at once. */
const mapsInARow: fc.Arbitrary<StageDescription[]> = fc.array(
  fc.tuple(stage, fc.integer({ min: 0, max: 7 })).map(([stage, hurry]) => ({
    ...stage,
    operator: "map" as const,
    timing: hurry === 0 ? stage.timing : "sync" as const,
  })),
  { minLength: 8, maxLength: 8 },
);

const stages: fc.Arbitrary<StageDescription[]> = fc.oneof(
  { weight: 3, arbitrary: fc.array(stage, { minLength: 1, maxLength: 12, size: "max" }) },
  { weight: 1, arbitrary: fc.tuple(few, mapsInARow, few).map((parts) => parts.flat()) },
);

const strategy: fc.Arbitrary<StrategyDescription> = fc.record({
  highWaterMark: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
  size: fc.option(fc.integer({ min: 0, max: 3 }), { freq: 2, nil: undefined }),
});

function replace<Value>(value: Value, from: Value, to: Value): Value {
  return value === from ? to : value;
}

/** A chain whose stages make no more than a few hundred chunks, whatever they multiply. */
function limitExpansion(chain: ChainDescription): ChainDescription {
  let chunks = Math.max(1, chain.source.count);
  const stages = chain.stages.map((described, index) => {
    // How many chunks came in before an abort is told by the log of the first stage, if it is asked for each of them.
    const isSilent = described.operator === "no transform at all" ||
      described.operator === "dropWhile";
    const stage = chain.source.ending === "abort" && index === 0
      ? { ...described, isLogged: true, operator: isSilent ? "tap" : described.operator }
      : described;
    // What has ended in its start may not enqueue there.
    if (stage.operator === "take" && stage.size === 0 && stage.start.mode !== "none") {
      return { ...stage, start: { ...stage.start, mode: "log" as const } };
    }
    if (stage.operator !== "raw" && stage.operator !== "flatMap") return stage;
    const size = chunks * stage.size > 600 ? 1 : stage.size;
    chunks *= Math.max(1, size);
    return { ...stage, size };
  });
  // A writable side whose highWaterMark is 0 never has room for a pipe or for a writer that waits for it.
  const { highWaterMark } = chain.writableStrategy;
  const mayBeZero = chain.source.ending === "abort" && chain.source.shape !== 0;
  const writableStrategy = highWaterMark === 0 && !mayBeZero
    ? { ...chain.writableStrategy, highWaterMark: 1 }
    : chain.writableStrategy;
  return { ...chain, stages, writableStrategy };
}

/** A random chain of 1 to 12 stages with its source and its consumer; about half of them end well. */
export const chains: fc.Arbitrary<ChainDescription> = fc.tuple(
  fc.record({
    stages,
    source: fc.record({
      count: fc.integer({ min: 0, max: 12 }),
      ending: fc.oneof(
        { weight: 8, arbitrary: fc.constant("close" as const) },
        { weight: 1, arbitrary: fc.constantFrom("error" as const, "abort" as const) },
      ),
      highWaterMark: fc.integer({ min: 0, max: 3 }),
      delay: fc.integer({ min: 0, max: 3 }),
      kind,
      shape: fc.constantFrom(0, 1, 2),
    }),
    consumer: fc.record({
      cancelAfter: fc.option(fc.integer({ min: 0, max: 12 }), { freq: 6, nil: undefined }),
      delay: fc.oneof(
        { weight: 2, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.integer({ min: 1, max: 30 }) },
      ),
      kind,
      isStream: fc.boolean(),
    }),
    writableStrategy: strategy,
    readableStrategy: strategy,
  }),
  fc.boolean(),
).map(([chain, isCalm]) => limitExpansion(isCalm ? calm(chain) : chain));

/** The same chain without anything that fails or ends early. */
function calm(chain: ChainDescription): ChainDescription {
  const quiet = (hook: HookDescription): HookDescription =>
    hook.mode === "none" || hook.mode === "enqueue" ? hook : { ...hook, mode: "log" };
  return {
    ...chain,
    stages: chain.stages.map((stage) => ({
      ...stage,
      operator: replace(stage.operator, "take", "tap"),
      failure: undefined,
      start: quiet(stage.start),
      flush: quiet(stage.flush),
      cancel: quiet(stage.cancel),
    })),
    source: { ...chain.source, ending: "close" },
    consumer: { ...chain.consumer, cancelAfter: undefined },
  };
}
