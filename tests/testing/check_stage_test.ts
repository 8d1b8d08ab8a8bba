// deno-lint-ignore-file no-explicit-any -- stages of several libraries, some without types
import {
  batch,
  compose,
  expand,
  flatMap,
  fuse,
  groupBy,
  map,
  parallel,
  take,
  takeUntil,
  takeWhile,
} from "@hosepipe/streams";
import { type CheckedStage, checkStage, type CheckStageOptions } from "@hosepipe/streams/testing";
import { type Faults, type Planted, testPlanted } from "./_test_planted.ts";
import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { operators } from "../lib/operators.ts";
import { startScript } from "../lib/start_script.ts";

type Controller = TransformStreamDefaultController<unknown>;

type PlantedStage = Planted<
  (context: { readonly signal: AbortSignal }) => CheckedStage,
  CheckStageOptions
>;

const same: CheckStageOptions = { expected: (chunks) => chunks };
const noReuse: CheckStageOptions = { ...same, skip: { reuse: "it has state of its own" } };
const pass = (chunk: unknown, controller: Controller) => controller.enqueue(chunk);
const failing = (makeFailing: CheckStageOptions["makeFailing"]): CheckStageOptions => ({
  ...same,
  makeFailing,
});

/** A pair whose ends do what they should, but for what is given. */
function pair(
  faults: {
    readonly write?: (chunk: unknown, controller: ReadableStreamDefaultController) => unknown;
    readonly close?: (controller: ReadableStreamDefaultController) => unknown;
    readonly abort?: (controller: ReadableStreamDefaultController, reason: unknown) => unknown;
    readonly cancel?: (controller: WritableStreamDefaultController, reason: unknown) => unknown;
    readonly writableMark?: number;
    readonly isGreedy?: boolean;
  },
): CheckedStage {
  let output!: ReadableStreamDefaultController;
  let input!: WritableStreamDefaultController;
  let demand = Promise.withResolvers<void>();
  const readable = new ReadableStream({
    start: (controller) => void (output = controller),
    pull: () => demand.resolve(),
    cancel(reason) {
      demand.resolve();
      return (faults.cancel ?? ((controller) => controller.error(reason)))(input, reason) as void;
    },
  }, { highWaterMark: 0 });
  const writable = new WritableStream({
    start: (controller) => void (input = controller),
    async write(chunk) {
      if (!faults.isGreedy) {
        await demand.promise;
        demand = Promise.withResolvers();
      }
      await (faults.write ?? ((chunk, controller) => controller.enqueue(chunk)))(chunk, output);
    },
    close: () => (faults.close ?? ((controller) => controller.close()))(output) as void,
    abort(reason) {
      demand.resolve();
      return (faults.abort ?? ((controller) => controller.error(reason)))(output, reason) as void;
    },
  }, { highWaterMark: faults.writableMark ?? 1 });
  return { readable, writable };
}

const sharedList: unknown[] = [];
let sharedCount = 0;

/** Stages with a fault, each by the law that it breaks. */
const faultyStages: Faults<PlantedStage> = {
  output: {
    "drops the last chunk": [() => {
      const kept: unknown[] = [];
      return {
        transform(chunk, controller) {
          kept.push(chunk);
          if (kept.length > 1) controller.enqueue(kept.shift());
        },
      };
    }, noReuse],
    "forgets chunks that are 3": () => ({
      transform: (chunk, controller) => void (chunk !== 3 && pass(chunk, controller)),
    }),
    "gives undefined at the end": () => ({
      transform: pass,
      flush: (controller) => controller.enqueue(undefined),
    }),
    "terminates after three chunks": [() => {
      let n = 0;
      return {
        transform(chunk, controller) {
          controller.enqueue(chunk);
          if (++n === 3) controller.terminate();
        },
      };
    }, noReuse],
  },
  ends: {
    "hangs in flush": () => ({ transform: pass, flush: () => new Promise(() => {}) }),
    "fails in flush without a chunk": [() => {
      let last: { value: unknown } | undefined;
      return {
        transform(chunk, controller) {
          last = { value: chunk };
          controller.enqueue(chunk);
        },
        flush: () => void last!.value,
      };
    }, noReuse],
    "never closes its readable side": () => pair({ close: () => {} }),
    "does not wait for its promises": () => ({
      transform(chunk, controller) {
        Promise.resolve().then(() => new Promise((resolve) => setTimeout(resolve, 5))).then(() =>
          controller.enqueue(chunk)
        ).catch(() => {});
      },
      flush(controller) {
        controller.error(new Error("too early"));
      },
    }),
  },
  abort: {
    "ends early, and leaves its source open": [() => {
      let n = 0;
      return pair({
        write(chunk, controller) {
          controller.enqueue(chunk);
          if (++n === 2) controller.close();
        },
      });
    }, {}],
  },
  fresh: {
    "has one state for all stages": [() => ({
      start: () => void (sharedCount = 0),
      transform: (chunk, controller) => controller.enqueue([chunk, sharedCount++ > 99]),
      flush: (controller) => controller.enqueue(sharedList.push(1)),
    }), { skip: { reuse: "it has state of its own" } }],
  },
  reuse: {
    "keeps its state from one run to the next": [() => {
      let n = 0;
      return { transform: (_, controller) => controller.enqueue(n++) };
    }, { expected: (chunks) => chunks.map((_, n) => n) }],
  },
  laziness: {
    "reads all before it gives anything, and has a queue without an end": () =>
      pair({ isGreedy: true }),
    "reads ahead by five chunks": () => pair({ writableMark: 5 }),
  },
  boundedReading: {
    "reads ahead once it has begun": () => (source: ReadableStream) => {
      const reader = source.getReader();
      let hasBegun = false;
      const end = new AbortController();
      return new ReadableStream({
        async pull(controller) {
          for (let n = hasBegun ? 4 : 1; n-- > 0;) {
            const { done, value } = await reader.read();
            if (done) {
              reader.releaseLock();
              end.abort();
              return controller.close();
            }
            controller.enqueue(value);
          }
          hasBegun = true;
        },
        cancel: (reason) => reader.cancel(reason).finally(() => reader.releaseLock()),
      }, { highWaterMark: 0 });
    },
  },
  cancel: {
    "forgets to tell its source of a cancel": () => pair({ cancel: () => {} }),
    "cancels with a reason of its own": () =>
      pair({ cancel: (controller) => controller.error(new Error("cancelled")) }),
    "hangs in cancel": () => ({ transform: pass, cancel: () => new Promise(() => {}) }),
    "fails in cancel": () => ({
      transform: pass,
      cancel: () => Promise.reject(new Error("in cancel")),
    }),
  },
  sourceError: {
    "forgets a failure of its source": () => pair({ abort: () => {} }),
    "swallows undefined errors of its source": () =>
      pair({
        abort: (controller, reason) => reason ? controller.error(reason) : controller.close(),
      }),
    "wraps errors of its source": () =>
      async function* (source: AsyncIterable<unknown>) {
        try {
          yield* source;
        } catch (cause) {
          throw new Error("wrapped", { cause });
        }
      },
  },
  stageError: {
    "swallows undefined errors of its own function": [
      () => ({ transform: pass }),
      failing((reason) => ({
        transform() {
          if (reason) throw reason;
        },
      })),
    ],
    "wraps errors of its own function": [
      () => ({ transform: pass }),
      failing((reason) => ({
        transform: () => Promise.reject(new Error(String(reason))),
      })),
    ],
  },
  leaks: {
    "leaves a timer": [() => {
      let timer: ReturnType<typeof setInterval>;
      return {
        start: () => void (timer = setInterval(() => {}, 1_000)),
        transform: pass,
        flush: () => clearInterval(timer),
      };
    }, noReuse],
    "leaves a listener": ({ signal }) => ({
      start: () => signal.addEventListener("abort", () => {}),
      transform: pass,
    }),
    "holds the lock": () => (source: ReadableStream) => {
      const reader = source.getReader();
      return new ReadableStream({
        async pull(controller) {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: (reason) => reader.cancel(reason),
      }, { highWaterMark: 0 });
    },
  },
  idleAfterEnd: {
    "goes on after the end": [() => ({
      start(controller) {
        const timer = setInterval(() => {
          try {
            controller.desiredSize;
            controller.error(undefined);
          } catch { /* it is over */ }
          clearInterval(timer);
        }, 5_000);
      },
      transform: pass,
    }), noReuse],
  },
};
const numbers = (fn: (chunks: readonly number[]) => unknown[]): CheckStageOptions => ({
  expected: (chunks) => fn(chunks as readonly number[]),
});

/** Stages that break no law. */
const rightStages: Readonly<Record<string, PlantedStage>> = {
  "map": [() => map((n: number) => n * 2), {
    ...numbers((chunks) => chunks.map((n) => n * 2)),
    makeFailing: (reason) =>
      map(() => {
        throw reason;
      }),
  }],
  "parallel": [() => parallel((n: number) => Promise.resolve(n), { concurrency: 2 }), {
    ...same,
    readAhead: 2,
  }],
  "take, which ends early": [() => take(100), same],
  "a TransformStream": [() => new TransformStream(), same],
  "an empty dictionary": [() => ({}), same],
  "an async dictionary": [() => ({
    async transform(chunk, controller) {
      await undefined;
      controller.enqueue(chunk);
    },
  }), same],
  "a dictionary with a timer that it clears": [() => {
    let timer: ReturnType<typeof setInterval>;
    const end = () => clearInterval(timer);
    return {
      start: () => void (timer = setInterval(() => {}, 1_000)),
      transform: pass,
      flush: end,
      cancel: end,
    };
  }, same],
  "an async generator": [() =>
    async function* (source: AsyncIterable<unknown>) {
      for await (const chunk of source) yield chunk;
    }, same],
  "a pair by hand": [() => pair({}), same],
  "a function of streams": [
    () => (source: ReadableStream) => source.pipeThrough(new TransformStream()),
    same,
  ],
};

/** A stage of another library or of the runtime, and the laws that it is known to break in some runtime. */
interface StageOfOthers {
  readonly name: string;
  readonly make: () => CheckedStage;
  readonly chunks: readonly unknown[];
  readonly options?: CheckStageOptions;
  readonly breaks: readonly string[];
}

const load = (path: string): Promise<any> => import(path);
const encoder = new TextEncoder();
// Each beginning of it is whole, too.
const text = ["a,1", "1\nb,", "2\n", "c,3\n", "d,4\n", "e,5\n", "f,6\n", "g,7\n", "h,8\n"];
const bytes = text.map((chunk) => encoder.encode(chunk));
const ofIterators = ["laziness", "cancel", "abort", "sinkError"];

async function zip(): Promise<unknown[]> {
  const readable = new Blob(bytes as any).stream().pipeThrough(new CompressionStream("gzip"));
  const whole = new Uint8Array(await new Response(readable).arrayBuffer());
  return [0, 12, 24, 36].map((from) => whole.slice(from, from === 36 ? undefined : from + 12));
}

const row = (
  name: string,
  make: () => any,
  chunks: readonly unknown[],
  breaks: readonly string[] = [],
  options: CheckStageOptions = {},
): StageOfOthers => ({ name, make, chunks, options, breaks });

async function stagesOfOthers(): Promise<readonly StageOfOthers[]> {
  const streams = await load("deno-std/streams/mod.js");
  const csv = await load("deno-std/csv/mod.js");
  const csvParse = await load("csv-parse/stream");
  const partOfFile = "a part of a file is none";
  const laws = ["ends", "output", "pace", "sinkError", "sourceError"];
  return [
    row("TextLineStream", () => new streams.TextLineStream(), text),
    row("ByteSliceStream, of a part", () => new streams.ByteSliceStream(0, 5), bytes),
    row("LimitedTransformStream, of a part", () => new streams.LimitedTransformStream(2), text),
    row("CsvParseStream", () => new csv.CsvParseStream(), text, ofIterators),
    row("parse of csv-parse", () => csvParse.parse(), bytes, ["laziness", "boundedReading"]),
    row("TextDecoderStream", () => new TextDecoderStream(), bytes, ["laziness"]),
    row("CompressionStream", () => new CompressionStream("gzip"), bytes, [
      ...["laziness", "cancel", "sourceError", "sinkError"],
    ], { io: true }),
    row("DecompressionStream", () => new DecompressionStream("gzip"), await zip(), [
      ...["laziness", "cancel"],
    ], { io: true, skip: Object.fromEntries(laws.map((law) => [law, partOfFile])) }),
  ];
}

testPlanted({
  check: checkStage,
  kind: "stage",
  faulty: faultyStages,
  right: rightStages,
  options: { expected: (chunks) => chunks },
  held: 12,
});

test("checkStage() finds that a stage leaves a rejection unhandled: unhandled", async () => {
  const { stdout, stderr } = await startScript("tests/testing/_unhandled_program.ts", ["stage"])
    .ended;
  assertEquals(stderr, "");
  const [broken, ...others] = JSON.parse(stdout);
  assertEquals([broken.law, others], ["unhandled", []]);
});

// What is ours, as it is: nothing is said but the chunks, where it takes no numbers.
for (const { name, make, makeStateful, input } of operators) {
  test(`checkStage() finds nothing wrong with ${name}, without options`, async () => {
    const isOfNumbers = input(1) === 1;
    const chunks = Array.from({ length: 8 }, (_, n) => input(n + 1));
    assertEquals((await checkStage(make, isOfNumbers ? {} : { chunks })).failed, []);
    if (makeStateful === undefined) return;
    const texts = Array.from({ length: 8 }, (_, n) => `a${n}${n % 2 ? "\n" : ""}`);
    assertEquals((await checkStage(makeStateful, { chunks: texts })).failed, []);
  });
}

const wait = (signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, 5);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
const slowly = async function* (n: number, _: number, { signal }: { signal: AbortSignal }) {
  yield n;
  await wait(signal);
  yield n;
};
const passed = (n: number) => n;
/** Stages that end early, and others whose defaults matter. */
const ours: Record<string, () => CheckedStage> = {
  "take(0)": () => take(0),
  "take(1)": () => take(1),
  "take(2)": () => take(2),
  "takeWhile, none": () => takeWhile(() => false),
  "takeUntil, at once": () => takeUntil(Promise.resolve()),
  "a generator that ends": () =>
    async function* (source: AsyncIterable<unknown>) {
      for await (const chunk of source) return void (yield chunk);
    },
  "a generator of nothing": () => async function* () {},
  "terminate in start": () => ({ start: (controller) => controller.terminate() }),
  "take in a composition": () => compose(map(passed), take<number>(2), map(passed)),
  "take in a fused chain": () => fuse(map(passed), take<number>(3)),
  "take in groups": () => groupBy(() => 0, () => take(2)),
  "flatMap to many": () => flatMap((n: number) => [n, n, n]),
  "flatMap to many, slowly": () => flatMap(slowly),
  "flatMap to many, slowly, several at a time": () => flatMap(slowly, { concurrency: 3 }),
  "expand to many": () => expand((n: number) => n > 4 ? [] : [n + 1, n + 2]),
  "batch by time": () => batch(3, { maxWaitMs: 10 }),
  "parallel, slowly": () =>
    parallel(async (n: number, _, { signal }) => {
      await wait(signal);
      return n;
    }, { concurrency: 3 }),
};
for (const [name, make] of Object.entries(ours)) {
  test(`checkStage() finds nothing wrong with ${name}, without options`, async () => {
    assertEquals((await checkStage(make)).failed, []);
  });
}

for (const { name, make, chunks, options, breaks } of await stagesOfOthers()) {
  test(`checkStage() finds of ${name} what is known of it, without options`, async () => {
    const { failed } = await checkStage(make, { chunks, ...options });
    const unknown = failed.filter(({ law }) => !breaks.includes(law));
    assertEquals(unknown, []);
  });
}

const forgetful = () => {
  let count = 0;
  return {
    transform(chunk: unknown, controller: TransformStreamDefaultController) {
      if (++count !== 2) controller.enqueue(chunk);
    },
  };
};

test("checkStage() names the law and the smallest program, and throws them", async () => {
  const skip = { reuse: "it counts" };
  const result = await checkStage(forgetful, { expected: (chunks) => chunks, skip });
  assertEquals(result.failed[0], {
    law: "output",
    program: "native, the source gives 2 chunks, then ends",
    problem: "it gave |1|, not |1|2|",
  });
  assertEquals(result.skipped.reuse, "it counts");
  assertThrows(() => result.throwIfFailed(), Error, "output: it gave |1|, not |1|2|");
});

test("checkStage() finds the same each time", async () => {
  const [one, two] = [await checkStage(forgetful), await checkStage(forgetful)];
  assertEquals([one.held, one.failed], [two.held, two.failed]);
});
