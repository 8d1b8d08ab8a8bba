import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import {
  filter,
  flatMap,
  map,
  pipeline,
  type PipelineOptions,
  type Transformer,
} from "@hosepipe/streams";
import { turns } from "../lib/turns.ts";
import { unhandledDuring } from "../lib/unhandled_during.ts";
import { withStoppedClock } from "../lib/with_stopped_clock.ts";

const count = 7;
const kinds = [
  "one to one",
  "waits",
  "waits at times",
  "throws",
  "rejects",
  "gives many",
  "gives none",
  "gives an async iterable",
  "drops",
] as const;
type Kind = (typeof kinds)[number];
type Log = string[];

/** A stage that does what it is named for with the chunk 4, and writes down what it is called with. */
function stageOf(kind: Kind, name: number, log: Log): Transformer<number, number> {
  const is = (chunk: number) => Math.abs(chunk) % 100 === 4;
  const note = (chunk: number) => void log.push(`${name}:${chunk}`);
  const failure = new Error(`stage ${name}`);
  const many = (chunk: number): number[] => is(chunk) ? [chunk, chunk + 100, chunk + 200] : [chunk];
  if (kind === "drops") return filter((chunk) => (note(chunk), !is(chunk)));
  if (kind.startsWith("gives")) {
    return flatMap((chunk: number) => {
      note(chunk);
      if (kind === "gives none") return is(chunk) ? [] : [chunk];
      if (kind === "gives an async iterable") return ReadableStream.from(many(chunk));
      return many(chunk);
    });
  }
  return map((chunk: number): number | Promise<number> => {
    note(chunk);
    if (kind === "waits" || (kind === "waits at times" && is(chunk))) return Promise.resolve(chunk);
    if (is(chunk) && kind === "throws") throw failure;
    if (is(chunk) && kind === "rejects") return Promise.reject(failure);
    return chunk;
  });
}

const sources = {
  "an array": () => Array.from({ length: count }, (_, i) => i),
  "one with promises": () => [0, 1, Promise.resolve(2), 3, 4] as number[],
  "one with a promise that rejects": () => {
    const rejected = Promise.reject(new Error("chunk"));
    rejected.catch(() => {});
    return [0, rejected] as number[];
  },
  "a generator that throws": function* () {
    yield* [0, 1, 4, 5];
    throw new Error("source");
  },
} satisfies Record<string, () => Iterable<number>>;

const sinks: Record<string, (chunk: number) => void | Promise<void>> = {
  "takes all": () => {},
  "waits": (chunk) => chunk % 2 === 0 ? Promise.resolve() : undefined,
  "throws": (chunk) => {
    if (chunk === 4) throw new Error("sink");
  },
  "rejects": (chunk) => chunk === 4 ? Promise.reject(new Error("sink")) : undefined,
};

type Way = "quick" | "with an engine" | "quick with a signal";

/** Where a signal aborts, and as which chunk comes there: with 4 stages and sinks do what they are named for. */
const places = ["source", "stage 0", "stage 1", "sink"];
const aborts = ["never", ...places.flatMap((place) => [`${place}, 2`, `${place}, 4`])];

/** What the sink got, what each stage was called with, in order, and how the run ended. */
async function observe(
  source: keyof typeof sources,
  stages: Kind[],
  sink: string,
  way: Way,
  abort = "never",
) {
  const controller = new AbortController();
  const { signal } = controller;
  const abortAt = (place: string, chunk: number) => {
    if (`${place}, ${chunk}` === abort) controller.abort(new Error("aborted"));
  };
  let closed = 0;
  function* chunks() {
    try {
      for (const chunk of sources[source]()) {
        abortAt("source", chunk);
        yield chunk;
      }
    } finally {
      closed++;
    }
  }
  const log: Log = [];
  log.push = (call) => {
    abortAt(`stage ${call[0]}`, Number(call.slice(2)));
    return Array.prototype.push.call(log, call);
  };
  const written: number[] = [];
  const byStage = stages.map((kind, index) => stageOf(kind, index, log)) as [
    Transformer<number, number>,
    Transformer<number, number>,
  ];
  let outcome: unknown;
  try {
    const take = (chunk: number) => {
      written.push(chunk);
      abortAt("sink", chunk);
      return sinks[sink]!(chunk);
    };
    const { chunksRead, chunksWritten } = way === "quick"
      ? await pipeline(chunks(), ...byStage, take)
      : way === "quick with a signal"
      ? await pipeline(chunks(), ...byStage, take, { signal })
      // With any other option the run has an engine from the beginning.
      : await pipeline(chunks(), ...byStage, take, { signal, preventClose: true });
    outcome = { chunksRead, chunksWritten };
  } catch (error) {
    outcome = (error as Error).message;
  }
  await turns(1);
  const calls = stages.map((_, index) => log.filter((call) => call.startsWith(`${index}:`)));
  return { outcome, written, closed, calls: typeof outcome === "string" ? undefined : calls };
}

let pairs = 0;
let turn = 0;

for (const source of Object.keys(sources) as (keyof typeof sources)[]) {
  for (const sink of Object.keys(sinks)) {
    test(`what is begun without an engine goes on with one: from ${source} to a sink that ${sink}`, () =>
      // How much an aborted run still writes depends on when its turn is over.
      withStoppedClock(async () => {
        turn++;
        for (const first of kinds) {
          for (const second of kinds) {
            const quick = await observe(source, [first, second], sink, "quick");
            const whole = await observe(source, [first, second], sink, "with an engine");
            assertEquals(quick, whole, `${first}, ${second}`);
            // Each pair of kinds meets each abort with some source and sink.
            const abort = aborts[(pairs++ + turn) % aborts.length]!;
            assertEquals(
              await observe(source, [first, second], sink, "quick with a signal", abort),
              await observe(source, [first, second], sink, "with an engine", abort),
              `${first}, ${second}, abort at ${abort}`,
            );
          }
        }
      }));
  }
}

const anyOptions: readonly (PipelineOptions | undefined)[] = [
  undefined,
  {},
  { signal: new AbortController().signal },
  { runName: "short", preventCancel: true, preventAbort: true, preventClose: true, callSite: true },
  { onFailure: () => {}, stallAfterMs: 1000, onStall: () => {} },
];

for (const options of anyOptions) {
  const given = options === undefined ? "without options" : `with ${Object.keys(options)}`;
  test(`a short run that nothing holds up ends within its call and one microtask, ${given}`, () =>
    withStoppedClock(async () => {
      const seen: number[] = [];
      let hasEnded = false;
      const run = pipeline(
        [1, 2, 3],
        map((n) => n + 1),
        flatMap((n) => [n, n]),
        filter((n) => n !== 3),
        (n) => void seen.push(n),
        options,
      );
      assertEquals(seen, [2, 2, 4, 4]);
      void run.then(() => hasEnded = true);
      await undefined;
      assert(hasEnded);
      const { chunksRead, chunksWritten } = await run;
      assertEquals([chunksRead, chunksWritten], [3, 4]);
    }));
}

for (const way of ["quick", "with an engine"]) {
  test(`a promise that is rejected after its call has aborted the run is heard: ${way}`, async () => {
    const later = () => Promise.reject(new Error("later"));
    const stages: Record<
      string,
      (act: <T>(chunk: number, last: () => T) => T | number) => unknown[]
    > = {
      map: (act) => [map((n: number) => act(n, later))],
      "map behind": (act) => [flatMap((n: number) => [n, n]), map((n: number) => act(n, later))],
      filter: (act) => [filter((n: number) => act(n, later) as never)],
      flatMap: (act) => [flatMap((n: number) => n === 2 ? act(n, later) as never : [n])],
      "flatMap to one": (act) => [flatMap((n: number) => [act(n, later)])],
      source: () => [map((n: number) => n)],
      sink: () => [],
    };
    for (const [name, make] of Object.entries(stages)) {
      const controller = new AbortController();
      const act = <T>(chunk: number, last: () => T): T | number => {
        if (chunk !== 2) return chunk;
        controller.abort("enough");
        return last();
      };
      const numbers = [1, 2, 3, 4].values();
      const chunks = name === "source" ? numbers.map((n) => act(n, later)) : numbers;
      const write = (chunk: unknown) => name === "sink" ? act(chunk as number, later) : undefined;
      const options = {
        signal: controller.signal,
        preventClose: way === "quick" ? undefined : true,
      };
      const unhandled = await unhandledDuring(async () => {
        const run = (pipeline as (...parts: unknown[]) => Promise<unknown>)(
          chunks,
          ...make(act),
          write,
          options,
        );
        assertEquals(await run.catch((reason) => reason), "enough", name);
      });
      assertEquals(unhandled, [], name);
    }
  });
}
