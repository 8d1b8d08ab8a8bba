// deno-lint-ignore-file no-explicit-any -- stages of several libraries, some without types
import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { type CheckedStage, checkStage, type CheckStageOptions } from "@hosepipe/streams/testing";
import {
  batch,
  compose,
  drop,
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
import { operators } from "../lib/operators.ts";
import { startScript } from "../lib/start_script.ts";
import { faultyStages, rightStages } from "./_planted_stages.ts";
import { testPlanted } from "./_test_planted.ts";

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
  "take(8)": () => take(8),
  "takeWhile, some": () => takeWhile((n: number) => n < 4),
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
  "a fused chain": () => fuse(map(passed), map(passed), map(passed)),
  "flatMap to many": () => flatMap((n: number) => [n, n, n]),
  "flatMap to many, slowly": () => flatMap(slowly),
  "flatMap to many, slowly, several at a time": () => flatMap(slowly, { concurrency: 3 }),
  "expand to many": () => expand((n: number) => n > 4 ? [] : [n + 1, n + 2]),
  "batch by time": () => batch(3, { maxWaitMs: 10 }),
  "drop all": () => drop(100),
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

test("checkStage() leaves no virtual time and no listener of rejections behind", async () => {
  const before = [Object.getOwnPropertyDescriptor(globalThis, "setTimeout"), Date];
  await checkStage(() => ({}));
  await checkStage(forgetful);
  assertEquals([Object.getOwnPropertyDescriptor(globalThis, "setTimeout"), Date], before);
});

test("checkStage() finds the same each time", async () => {
  const [one, two] = [await checkStage(forgetful), await checkStage(forgetful)];
  assertEquals([one.held, one.failed], [two.held, two.failed]);
});
