import type {
  Chain,
  Failure,
  Hook,
  Mark,
  OutsideEnd,
  Sink,
  Source,
  Stage,
  Strategy,
  Way,
} from "./chain.ts";

/** Numbers that follow from a seed alone. */
class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to 1. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from 0 to `max`. */
  upTo(max: number): number {
    return Math.floor(this.#next() * (max + 1));
  }

  chance(probability: number): boolean {
    return this.#next() < probability;
  }

  pick<Value>(...values: readonly Value[]): Value {
    return values[this.upTo(values.length - 1)]!;
  }
}

const chunkLimit = 600;

function mark(random: Random): Mark {
  return random.pick<Mark>(0, 1, 1, 2, 7, 16, "Infinity");
}

function strategy(random: Random): Strategy {
  if (random.chance(0.4)) return {};
  const highWaterMark = mark(random);
  return random.chance(0.2) ? { highWaterMark, size: random.upTo(3) } : { highWaterMark };
}

function kindOf(random: Random): number {
  return random.pick(0, 0, 0, 0, 1, 2, 3);
}

function delayOf(random: Random): number {
  return random.pick(0, 0, 1, 2, 3, 5, 9);
}

function hook(random: Random, ...modes: Hook["mode"][]): Hook {
  return { mode: random.pick(...modes), delay: delayOf(random), kind: kindOf(random) };
}

/** A stage that neither fails nor ends early. */
function calmStage(random: Random): Stage {
  const operator = random.chance(0.4) ? "raw" : random.pick(
    "map",
    "map",
    "filter",
    "flatMap",
    "tap",
    "scan",
    "parallel",
    "flatMapAhead",
    "drop",
    "batch",
    "lines",
    "none",
    "compose",
    "dropWhile",
    "takeUntil",
    "batchBy",
    "split",
    "rechunk",
    "formatNdjson",
    "stage",
  );
  return {
    operator,
    timing: random.pick("sync", "sync", "async", "mixed"),
    delay: delayOf(random),
    size: random.chance(0.06) ? random.upTo(300) : random.pick(0, 1, 1, 1, 1, 2, 3, 4),
    shape: random.pick(0, 1, 2, 3),
    ...(random.chance(0.15) ? { start: hook(random, "log", "log", "enqueue") } : {}),
    ...(random.chance(0.5) ? { flush: hook(random, "log", "log", "enqueue") } : {}),
    ...(random.chance(0.5) ? { cancel: hook(random, "log") } : {}),
  };
}

function stagesOf(random: Random): Stage[] {
  const length = random.chance(0.4) ? 1 : 1 + random.upTo(random.pick(2, 4, 11));
  return Array.from({ length }, () => calmStage(random));
}

function sourceOf(random: Random, way: Way): Source {
  const shape = way === "fused"
    ? random.pick<Source["shape"]>(
      "pull",
      "pull",
      "start",
      "bytes",
      "tee",
      "sync",
      "async",
      "writes",
      "writes",
    )
    : random.pick<Source["shape"]>(
      "pull",
      "pull",
      "start",
      "bytes",
      "tee",
      "sync",
      "sync",
      "async",
    );
  return {
    shape,
    count: random.pick(0, 1, 2, 3, 4, 5, 8, 12, 20),
    odd: random.chance(0.25) ? 1 + random.upTo(3) : 0,
    strategy: shape === "bytes" ? { highWaterMark: random.pick(0, 1, 16) } : strategy(random),
    delay: delayOf(random),
    burst: random.chance(0.7) ? random.upTo(2) : random.upTo(20),
    ending: "close",
    kind: kindOf(random),
    ...(random.chance(0.2) ? { cancel: hook(random, "log") } : {}),
  };
}

function sinkOf(random: Random, way: Way): Sink {
  return {
    shape: way === "run"
      ? random.pick<Sink["shape"]>("pipe", "pipe", "pipe", "writer", "function", "function")
      : random.pick<Sink["shape"]>("pipe", "pipe", "reads", "reads", "writer"),
    reads: random.pick(1, 1, 2, 3, 16),
    strategy: strategy(random),
    delay: delayOf(random),
    kind: kindOf(random),
    ...(random.chance(0.2) ? { start: hook(random, "log") } : {}),
    ...(random.chance(0.2) ? { close: hook(random, "log") } : {}),
    ...(random.chance(0.2) ? { abort: hook(random, "log") } : {}),
  };
}

type Draft = { -readonly [Key in keyof Chain]: Chain[Key] };

function replaceStage(draft: Draft, index: number, change: Partial<Stage>): void {
  draft.stages = draft.stages.map((stage, i) => i === index ? { ...stage, ...change } : stage);
}

const failing = new Set<Stage["operator"]>([
  "raw",
  "map",
  "filter",
  "flatMap",
  "tap",
  "scan",
  "parallel",
  "flatMapAhead",
  "dropWhile",
  "compose",
]);

/** Adds one thing that ends a chain before its source does, or makes it fail. */
function addEnd(draft: Draft, random: Random): void {
  const { source, sink, stages } = draft;
  const index = random.upTo(stages.length - 1);
  const end = random.pick(
    "stage",
    "stage",
    "stage",
    "hook",
    "take",
    "source",
    "traps",
    "sink",
    "sink",
    "sink hook",
    "outside",
    "outside",
    "outside",
  );
  if (end === "stage") {
    const stage = stages[index]!;
    const operator = failing.has(stage.operator) ? stage.operator : "raw";
    const failure: Failure = {
      at: random.pick(0, 0, 1, 2, 3, 5, 10),
      after: random.pick(0, 0, 1, 2, 50),
      how: operator === "raw" ? random.pick("throw", "error", "terminate") : "throw",
      kind: kindOf(random),
    };
    replaceStage(draft, index, { operator, failure });
  } else if (end === "hook") {
    const name = random.pick("start", "flush", "flush");
    replaceStage(draft, index, { [name]: hook(random, "throw", "error", "terminate") });
  } else if (end === "traps") {
    draft.source = { ...source, odd: 1, hasTraps: true };
  } else if (end === "take") {
    const operator = random.pick("take", "take", "takeWhile");
    replaceStage(draft, index, { operator, size: random.upTo(6), start: undefined });
  } else if (end === "source") {
    draft.source = { ...source, ending: "error" };
  } else if (end === "sink") {
    draft.sink = { ...sink, endsAt: random.pick(0, 0, 1, 2, 3, 5, 10) };
  } else if (end === "sink hook" && sink.shape === "pipe") {
    draft.sink = { ...sink, [random.pick("start", "close")]: hook(random, "throw", "error") };
  } else {
    const outside: OutsideEnd = {
      what: random.pick("source", "sink", "error", "terminate", "signal"),
      stage: index,
      seen: random.pick("source", "sink", "stage"),
      count: random.pick(0, 0, 1, 2, 3, 5),
      delay: random.upTo(12),
      kind: kindOf(random),
    };
    draft.ends = [...draft.ends, outside];
    if (random.chance(0.3)) draft.source = { ...source, ending: "never" };
  }
}

/** Adds something that fails only while a chain is torn down. */
function addCleanUp(draft: Draft, random: Random): void {
  const where = random.pick("source", "stage", "sink");
  if (where === "source") {
    draft.source = { ...draft.source, cancel: hook(random, "throw") };
  } else if (where === "sink") {
    draft.sink = { ...draft.sink, abort: hook(random, "throw") };
  } else {
    const index = random.upTo(draft.stages.length - 1);
    replaceStage(draft, index, { cancel: hook(random, "throw", "error") });
  }
}

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

/** The chain of a seed: 40 in 100 are calm, 40 have one thing that ends them early, the others several. */
export function randomChain(seed: number, way: Way): Chain {
  const random = new Random(seed);
  const draft: Draft = {
    stages: stagesOf(random),
    source: sourceOf(random, way),
    sink: sinkOf(random, way),
    writableStrategy: way === "fused" ? strategy(random) : {},
    readableStrategy: way === "fused" ? strategy(random) : {},
    ends: [],
  };
  const ends = random.pick(0, 0, 1, 1, 2 + random.upTo(1));
  for (let i = 0; i < ends; i++) addEnd(draft, random);
  if (ends > 0 && random.chance(0.2)) addCleanUp(draft, random);
  limit(draft);
  if (way === "run" && random.chance(0.1)) {
    replaceStage(draft, random.upTo(draft.stages.length - 1), { isPair: true });
  }
  return JSON.parse(JSON.stringify(draft));
}
