import fc from "fast-check";
import {
  type Chain,
  type Hook,
  type Mark,
  operators,
  type OutsideEnd,
  type Sink,
  type Source,
  type Stage,
  type Strategy,
  type Way,
} from "./chain.ts";

const { constantFrom, nat, record, tuple } = fc;
/** One of them; of each 100 so many are the first. */
const either = <One, Other>(percent: number, one: fc.Arbitrary<One>, other: fc.Arbitrary<Other>) =>
  fc.oneof({ weight: percent, arbitrary: one }, { weight: 100 - percent, arbitrary: other });
/** Of each 100 so many are there. */
const maybe = <Value>(percent: number, value: fc.Arbitrary<Value>) =>
  either(percent, value, fc.constant(undefined));

const chunkLimit = 600;
const mostStages = 12;

const strategy: fc.Arbitrary<Strategy> = either(
  40,
  fc.constant({}),
  record({
    highWaterMark: constantFrom<Mark[]>(0, 1, 1, 2, 7, 16, "Infinity"),
    size: maybe(20, nat(3)),
  }),
);
const kind = constantFrom(0, 0, 0, 0, 1, 2, 3);
const delay = constantFrom(0, 0, 1, 2, 3, 5, 9);
/** The chunk at which something ends. */
const place = constantFrom(0, 0, 1, 2, 3, 5, 10);

const hook = (...modes: Hook["mode"][]): fc.Arbitrary<Hook> =>
  record({ mode: constantFrom(...modes), delay, kind });

const endsEarly: readonly string[] = ["take", "takeWhile"];

/** A stage that neither fails nor ends early. */
const calmStage: fc.Arbitrary<Stage> = record({
  operator: either(
    40,
    fc.constant("raw" as const),
    constantFrom("map", ...operators.filter((name) => name !== "raw" && !endsEarly.includes(name))),
  ),
  timing: constantFrom("sync", "sync", "async", "mixed"),
  delay,
  size: either(6, nat(300), constantFrom(0, 1, 1, 1, 1, 2, 3, 4)),
  shape: constantFrom(0, 1, 2, 3),
  start: maybe(15, hook("log", "log", "enqueue")),
  flush: maybe(50, hook("log", "log", "enqueue")),
  cancel: maybe(50, hook("log")),
});

const upTo = (maxLength: number) => fc.array(calmStage, { minLength: 1, maxLength, size: "max" });
const stages = either(40, upTo(1), fc.oneof(upTo(3), upTo(5), upTo(mostStages)));

const sourceOf = (way: Way): fc.Arbitrary<Source> => {
  const shapes = ["pull", "pull", "start", "bytes", "tee", "sync", "async"] as const;
  return record({
    shape: constantFrom<Source["shape"][]>(
      ...shapes,
      ...way === "fused" ? ["writes", "writes"] as const : ["sync"] as const,
    ),
    count: constantFrom(0, 1, 2, 3, 4, 5, 8, 12, 20),
    odd: maybe(25, nat(2)).map((odd = -1) => odd + 1),
    strategy,
    delay,
    burst: either(70, nat(2), nat(20)),
    ending: fc.constant("close" as const),
    kind,
    cancel: maybe(20, hook("log")),
  }).map((source) =>
    source.shape === "bytes"
      ? { ...source, strategy: { highWaterMark: [0, 1, 16][source.burst % 3]! } }
      : source
  );
};

const sinkOf = (way: Way): fc.Arbitrary<Sink> =>
  record({
    shape: way === "run"
      ? constantFrom("pipe", "pipe", "pipe", "writer", "function", "function")
      : constantFrom("pipe", "pipe", "reads", "reads", "writer"),
    reads: constantFrom(1, 1, 2, 3, 16),
    strategy,
    delay,
    kind,
    start: maybe(20, hook("log")),
    close: maybe(20, hook("log")),
    abort: maybe(20, hook("log")),
  });

type Draft = { -readonly [Key in keyof Chain]: Chain[Key] };
type Change = (draft: Draft) => void;

const index = nat(mostStages - 1);

/** Changes a stage of those that there are. */
function changeStage(draft: Draft, index: number, change: (stage: Stage) => Partial<Stage>): void {
  const at = index % draft.stages.length;
  draft.stages = draft.stages.map((stage, i) => i === at ? { ...stage, ...change(stage) } : stage);
}

const failing: ReadonlySet<string> = new Set([
  ...["raw", "map", "filter", "flatMap", "tap", "scan", "parallel", "flatMapAhead"],
  ...["dropWhile", "compose"],
]);

/** What ends a chain before its source does, or makes it fail. */
const ends: fc.Arbitrary<Change>[] = [
  tuple(
    index,
    record({
      at: place,
      after: constantFrom(0, 0, 1, 2, 50),
      how: constantFrom("throw", "error", "terminate"),
      kind,
    }),
  ).map(([index, failure]) => (draft) =>
    changeStage(draft, index, (stage) => {
      const operator = failing.has(stage.operator) ? stage.operator : "raw";
      const how = operator === "raw" ? failure.how : "throw";
      return { operator, failure: { ...failure, how } };
    })
  ),
  tuple(index, constantFrom("start", "flush", "flush"), hook("throw", "error", "terminate")).map(
    ([index, name, hook]) => (draft) => changeStage(draft, index, () => ({ [name]: hook })),
  ),
  tuple(index, constantFrom("take", "take", "takeWhile"), nat(6)).map(
    ([index, operator, size]) => (draft) =>
      changeStage(draft, index, () => ({ operator, size, start: undefined })),
  ),
  fc.constant((draft) => void (draft.source = { ...draft.source, ending: "error" })),
  fc.constant((draft) => void (draft.source = { ...draft.source, odd: 1, hasTraps: true })),
  place.map((endsAt) => (draft) => void (draft.sink = { ...draft.sink, endsAt })),
  tuple(constantFrom("start", "close"), hook("throw", "error")).map(([name, hook]) => (draft) => {
    if (draft.sink.shape === "pipe") draft.sink = { ...draft.sink, [name]: hook };
  }),
  tuple(
    record({
      what: constantFrom("source", "sink", "error", "terminate", "signal"),
      stage: index,
      seen: constantFrom("source", "sink", "stage"),
      count: constantFrom(0, 0, 1, 2, 3, 5),
      delay: nat(12),
      kind,
    }),
    maybe(30, fc.constant("never" as const)),
  ).map(([end, ending]: [OutsideEnd, "never" | undefined]) => (draft) => {
    draft.ends = [...draft.ends, { ...end, stage: end.stage % draft.stages.length }];
    if (ending !== undefined) draft.source = { ...draft.source, ending };
  }),
];
const weights = [3, 1, 1, 1, 1, 2, 1, 3];
const end = fc.oneof(...ends.map((arbitrary, at) => ({ arbitrary, weight: weights[at]! })));

/** What fails only while a chain is torn down. */
const cleanUp = fc.oneof<fc.Arbitrary<Change>[]>(
  hook("throw").map((cancel) => (draft) => void (draft.source = { ...draft.source, cancel })),
  hook("throw").map((abort) => (draft) => void (draft.sink = { ...draft.sink, abort })),
  tuple(index, hook("throw", "error")).map(([index, cancel]) => (draft) =>
    changeStage(draft, index, () => ({ cancel }))
  ),
);

/** Of each 100 chains 40 are calm, 40 have one thing that ends them early, the others several. */
const changes: fc.Arbitrary<Change[]> = fc.oneof(
  { weight: 40, arbitrary: fc.constant<Change[]>([]) },
  ...[[40, 1, 1], [20, 2, 3]].map(([weight, minLength, maxLength]) => ({
    weight: weight!,
    arbitrary: tuple(fc.array(end, { minLength, maxLength }), maybe(20, cleanUp))
      .map(([ends, last]) => last === undefined ? ends : [...ends, last]),
  })),
);

/**
 * Keeps a chain to a few hundred chunks, whatever its stages multiply. A composition keeps no hook of its own: with
 * one it is a copy, which runs in streams of its own.
 */
function limit(draft: Draft): void {
  let chunks = Math.max(1, draft.source.count);
  draft.stages = draft.stages.map((stage) => {
    if (stage.operator === "compose") {
      const { start: _start, flush: _flush, cancel: _cancel, ...bare } = stage;
      return bare;
    }
    if (stage.operator !== "raw" && stage.operator !== "flatMap") return stage;
    const size = chunks * stage.size > chunkLimit ? 1 : stage.size;
    chunks *= Math.max(1, size);
    return { ...stage, size };
  });
}

/** Random chains for a way to run them. */
export function randomChain(way: Way): fc.Arbitrary<Chain> {
  const own = way === "fused" ? strategy : fc.constant({});
  const pair = way === "run" ? maybe(10, index) : fc.constant(undefined);
  return tuple(stages, sourceOf(way), sinkOf(way), own, own, changes, pair).map(
    ([stages, source, sink, writableStrategy, readableStrategy, changes, pair]) => {
      const draft: Draft = { stages, source, sink, writableStrategy, readableStrategy, ends: [] };
      for (const change of changes) change(draft);
      limit(draft);
      if (pair !== undefined) changeStage(draft, pair, () => ({ isPair: true }));
      return JSON.parse(JSON.stringify(draft));
    },
  );
}
