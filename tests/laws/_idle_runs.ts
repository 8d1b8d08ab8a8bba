import {
  batch,
  batchBy,
  compose,
  expand,
  flatMap,
  fuse,
  groupBy,
  map,
  pipeline,
  stage,
} from "@hosepipe/streams";
import { probe } from "@hosepipe/streams/inspect";
import type { Operator, Stage } from "../lib/operator.ts";
import { operators } from "../lib/operators.ts";

/** A run in which, after a few chunks, nothing happens any more. */
export interface IdleRun {
  readonly name: string;
  readonly operator: Operator;
  /** Whether what it has made is not taken. */
  readonly isUnread: boolean;
  readonly isNative: boolean;
  /** Begins it; `signal` ends it. */
  readonly start: (signal: AbortSignal) => void;
}

function* many(chunk: unknown): Generator<unknown> {
  for (let n = 0; n < 500; n++) yield chunk;
}

async function* manyLater(chunk: unknown): AsyncGenerator<unknown> {
  yield* many(chunk);
}

const concurrency = 3;

/** Stages that have more to give than is taken, and those that pass on by time what they hold. */
const generous: Record<string, () => Stage> = {
  "flatMap, many": () => flatMap(many),
  "flatMap, many later": () => flatMap(manyLater),
  "flatMap, many at a time": () => flatMap(many, { concurrency }),
  "flatMap, many later at a time": () => flatMap(manyLater, { concurrency }),
  "flatMap, many at a time, unordered": () => flatMap(many, { concurrency, ordered: false }),
  "expand, many": () => expand((chunk: unknown) => typeof chunk === "object" ? [] : [{}, {}, {}]),
  "expand, many at a time": () =>
    expand((_, index) => index < 9 ? many(index) : [], { concurrency }),
  "groupBy, many": () => groupBy((chunk) => chunk, () => flatMap(many)),
  "groupBy, many at a time": () => groupBy(() => 0, () => flatMap(many, { concurrency })),
  "groupBy, a composition": () =>
    groupBy(() => 0, () => compose(map((chunk) => chunk), flatMap(many))),
  "compose, many": () => compose(flatMap(many), map((chunk) => chunk)),
  "compose, many at a time": () => compose(flatMap(many, { concurrency }), map((chunk) => chunk)),
  "stage, many": () =>
    stage(async function* (source) {
      for await (const chunk of source) yield* many(chunk);
    }),
  "batch, at once": () => compose(flatMap(many), batch(400, { maxWaitMs: 1 })),
  "batch, soon": () => batch(9, { maxWaitMs: 1 }),
  "batchBy, soon": () => batchBy((chunk) => chunk, 9, { maxWaitMs: 1 }),
};

const rows: readonly Operator[] = [
  ...operators,
  ...Object.entries(generous).map(([name, make]) => ({ ...operators[0]!, name, make })),
];

const places: Record<string, (stage: Stage) => Stage[]> = {
  alone: (stage) => [stage],
  before: (stage) => [stage, map((chunk) => chunk)],
  behind: (stage) => [map((chunk) => chunk), stage],
};

const ways: Record<string, (source: ReadableStream, stages: Stage[]) => ReadableStream> = {
  native: (source, stages) =>
    stages.reduce((before, stage) => before.pipeThrough(new TransformStream(stage)), source),
  fuse: (source, stages) => source.pipeThrough(fuse(...stages as [Stage])),
  "fuse, probed": (source, stages) => {
    const look = probe();
    return source.pipeThrough(fuse(...stages.map((stage) => look.transformer(stage)) as [Stage]));
  },
  "fuse, copied": (source, stages) =>
    source.pipeThrough(fuse(...stages.map((stage) => ({ ...stage })) as [Stage])),
};

/** A source of some chunks, which then never answers. */
function idleSource({ input }: Operator, count: number): ReadableStream {
  let given = 0;
  return new ReadableStream({
    pull: (controller) =>
      given < count ? controller.enqueue(input(given++)) : new Promise<void>(() => {}),
  }, { highWaterMark: 0 });
}

/** How many chunks a sink takes, and a source gives; some of both are never reached. */
const idles: Record<string, { readonly count: number; readonly takes: number }> = {
  "an idle source": { count: 2, takes: Infinity },
  "an idle sink": { count: 50, takes: 1 },
  "a source and a sink that are idle": { count: 2, takes: 1 },
};

/** A sink that never takes the chunk after the last one; a native pipe waits for that, so it fails as the signal aborts. */
function idleSink(takes: number, signal: AbortSignal): WritableStream {
  let taken = 0;
  const never = new Promise<void>((_, reject) =>
    signal.addEventListener("abort", () => reject(signal.reason))
  );
  never.catch(() => {});
  return new WritableStream({ write: () => taken++ < takes ? undefined : never });
}

/** Reads so many chunks, and then stands still. */
function readSome(readable: ReadableStream, takes: number, signal: AbortSignal): void {
  const reader = readable.getReader();
  signal.addEventListener("abort", () => void reader.cancel(signal.reason).catch(() => {}));
  void (async () => {
    while (takes-- > 0 && !(await reader.read()).done);
  })().catch(() => {});
}

function* makeRuns(): Generator<IdleRun> {
  for (const operator of rows) {
    for (const [place, around] of Object.entries(places)) {
      const make = () => around(operator.make());
      for (const [idle, { count, takes }] of Object.entries(idles)) {
        const about = { operator, isUnread: takes !== Infinity };
        const name = `${operator.name}, ${place}, ${idle}`;
        for (const [way, connect] of Object.entries(ways)) {
          // Looked at, or copied, is what may wait for room.
          if (way.startsWith("fuse,") && operators.includes(operator)) continue;
          const open = () => connect(idleSource(operator, count), make());
          const isNative = way === "native";
          const own = { ...about, isNative };
          yield {
            ...{ ...own, name: `${name}, ${way}, piped` },
            start: (signal) =>
              void open().pipeTo(idleSink(takes, signal), { signal }).catch(() => {}),
          };
          yield {
            ...{ ...own, name: `${name}, ${way}, read` },
            start: (signal) => readSome(open(), takes, signal),
          };
        }
        for (const isProbed of operators.includes(operator) ? [false] : [false, true]) {
          yield {
            ...{
              ...about,
              isNative: false,
              name: `${name}, pipeline${isProbed ? ", probed" : ""}`,
            },
            start(signal) {
              const look = probe();
              const stages = isProbed ? make().map((stage) => look.transformer(stage)) : make();
              const source = idleSource(operator, count);
              const run = pipeline(source, ...stages as [Stage], idleSink(takes, signal), {
                signal,
              });
              run.catch(() => {});
            },
          };
        }
      }
    }
  }
}

/** Every operator alone, before and behind another, in every way, with every part idle that can be. */
export const idleRuns: readonly IdleRun[] = [...makeRuns()];

/** What waits for room in a native stream has to ask for it: the standard gives a transformer no signal of it. */
export function asksForRoom({ isNative, isUnread, operator: { name } }: IdleRun): boolean {
  return isNative && isUnread && /^(batch|compose|expand|flatMap|groupBy|stage)/.test(name);
}
