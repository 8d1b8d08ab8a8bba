import { Readable, Writable } from "node:stream";
import { test } from "node:test";
import {
  assertEquals,
  assertInstanceOf,
  assertMatch,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { batch, fuse, lines, map, pipeline, reader } from "@hosepipe/streams";
import { virtualTime } from "@hosepipe/streams/testing";
import { errorOf } from "../lib/error_of.ts";
import { turns } from "../lib/turns.ts";

type Run = (...args: readonly unknown[]) => Promise<unknown>;
const run = pipeline as unknown as Run;
const join = fuse as unknown as (...args: readonly unknown[]) => unknown;

/** Not a stage, and what the message must say. */
const notStages: Record<string, [stage: unknown, advice: string]> = {
  "a function": [(x: number) => x * 10, "is a function; wrap it, as in map(fn)"],
  "an operator that was not called": [map, "is a function"],
  "an array": [[map((n: number) => n)], "is an array"],
  "a string": ["map", '"map"'],
  null: [null, "null"],
  undefined: [undefined, "undefined"],
  "a number": [5, "5"],
  "a ReadableStream": [new ReadableStream(), "is a ReadableStream"],
  "a WritableStream": [new WritableStream(), "is a WritableStream"],
  "a misspelt member": [{ tranform() {} }, "tranform"],
  "a promise": [Promise.resolve(map((n: number) => n)), "is a promise"],
  "a transform that is none": [{ transform: 5 }, "transform must be a function, got 5"],
};

for (const [what, [stage, advice]] of Object.entries(notStages)) {
  test(`${what} is no stage, and neither end is touched`, async () => {
    for (const position of [1, 2, 3]) {
      const stages = [map((n: number) => n), map((n: number) => n)];
      stages.splice(position - 1, 0, stage as typeof stages[0]);
      const source = new ReadableStream({ pull: (controller) => controller.enqueue(1) }, {
        highWaterMark: 0,
      });
      const sink = new WritableStream();
      const [error] = await errorOf(run(source, ...stages, sink)) as [Error];
      assertInstanceOf(error, TypeError);
      assertStringIncludes(error.message, `Cannot run pipeline: stage ${position}`);
      assertStringIncludes(error.message, advice);
      assertEquals([source.locked, sink.locked], [false, false]);

      // The last argument of fuse may be options that are left out.
      if (stage === undefined && position === 3) continue;
      const thrown = assertThrows(() => join(...stages), TypeError);
      assertStringIncludes(thrown.message, `Cannot fuse: stage ${position}`);
      assertStringIncludes(thrown.message, advice);
    }
  });
}

test("what is no transformer is named with what it has, three of its keys at most", async () => {
  const need = "a transformer has start, transform, flush or cancel";
  for (
    const [stage, text] of [
      [{ a: 1 }, `an object with a; ${need}`],
      [{ a: 1, b: 2, c: 3 }, `an object with a, b, c; ${need}`],
      [{ a: 1, b: 2, c: 3, d: 4 }, `an object with a, b, c; ${need}`],
      [new Map(), `a Map; ${need}`],
      [new Date(0), `; ${need}`],
    ] as const
  ) {
    const [error] = await errorOf(run([1], {}, stage, () => {})) as [Error];
    assertInstanceOf(error, TypeError);
    assertStringIncludes(error.message, "Cannot run pipeline: stage 2 is ");
    assertStringIncludes(error.message, text);
  }
});

test("a function among the stages is not passed over in silence", async () => {
  const written: unknown[] = [];
  const error = await errorOf(
    run([1, 2], (x: number) => x * 10, (chunk: unknown) => void written.push(chunk)),
  );
  assertInstanceOf((error as [unknown])[0], TypeError);
  assertEquals(written, []);
});

test("{} stays the identity", async () => {
  const written: unknown[] = [];
  await run([1, 2], {}, Object.create(null), (chunk: unknown) => void written.push(chunk));
  assertEquals(written, [1, 2]);
});

test("a bad argument leaves an iterable source closed to nobody: it is not begun", async () => {
  let begun = 0;
  const source = {
    [Symbol.iterator]() {
      begun++;
      return [1][Symbol.iterator]();
    },
  };
  const bad: readonly (readonly unknown[])[] = [
    [source, 5, () => {}],
    [source, map((n: number) => n), 5],
    [source, () => {}, { signal: 5 }],
    [source, () => {}, { preventClose: 1 }],
    [source, () => {}, { preventAbort: "yes" }],
    [source, () => {}, { preventCancel: null, preventClose: {} }],
    [source, () => {}, { signl: undefined }],
    [source],
  ];
  for (const args of bad) {
    assertInstanceOf((await errorOf(run(...args)) as [unknown])[0], TypeError);
  }
  assertEquals(begun, 0);
});

test("what is no source or no sink is named, with what to do", async () => {
  const sources: readonly [source: unknown, text: RegExp][] = [
    [null, /source must be .* got null/],
    [undefined, /source must be .* got undefined/],
    [10n, /got 10n/],
    [Promise.resolve([1]), /a promise; await it/],
    [function* () {}, /a function; call it/],
    [5, /got 5/],
    [{}, /got an object/],
  ];
  for (const [source, text] of sources) {
    const [error] = await errorOf(run(source, () => {})) as [Error];
    assertInstanceOf(error, TypeError);
    assertMatch(error.message, text);
    assertStringIncludes(error.message, "Cannot run pipeline: ");
  }
  const sinks: readonly [sink: unknown, text: RegExp][] = [
    [null, /sink must be .* got null/],
    [10n, /got 10n/],
    [Promise.resolve(() => {}), /a promise/],
    [new Writable(), /use fromNode\(writable.*\) from @hosepipe\/streams\/node/],
    [[], /got an array/],
  ];
  for (const [sink, text] of sinks) {
    const [error] = await errorOf(run([1], sink)) as [Error];
    assertInstanceOf(error, TypeError);
    assertMatch(error.message, text);
  }
});

test("a Node readable is a source as the async iterable it is", async () => {
  const written: unknown[] = [];
  await run(Readable.from(["a", "b"]), (chunk: unknown) => void written.push(chunk));
  assertEquals(written, ["a", "b"]);
});

test("reader refuses a generator function, as pipeline does", async () => {
  const error = assertThrows(() =>
    (reader as (source: unknown) => unknown)(function* () {
      yield 1;
    }), TypeError);
  assertMatch(error.message, /Cannot create reader: .*call/);
  const asynchronous = async function* () {
    yield 1;
  };
  assertThrows(() => (reader as (source: unknown) => unknown)(asynchronous), TypeError);
  await turns(1);
});

test("lines takes a Uint8Array of another realm", async () => {
  const { runInNewContext } = await import("node:vm");
  const bytes = runInNewContext("new Uint8Array([97, 10, 98])") as Uint8Array;
  for (const way of ["native", "fuse", "pipeline"] as const) {
    const source = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(bytes);
        controller.close();
      },
    });
    const out: string[] = [];
    const sink = new WritableStream<string>({ write: (line) => void out.push(line) });
    if (way === "native") await source.pipeThrough(new TransformStream(lines())).pipeTo(sink);
    else if (way === "fuse") await source.pipeThrough(fuse(lines())).pipeTo(sink);
    else await pipeline(source, lines(), sink);
    assertEquals(out, ["a", "b"], way);
  }
});

test("batch fills while the sink is busy, whatever maxWaitMs says", async () => {
  await using time = virtualTime();
  for (const way of ["fuse", "pipeline"] as const) {
    const sizes: number[] = [];
    let given = 0;
    const source = async function* () {
      for (; given < 400; given++) {
        // A timer that was left from the batch before would fire in the middle of this one.
        if (given % 50 === 25) await new Promise((resolve) => setTimeout(resolve, 1));
        yield given;
      }
    };
    const sink = new WritableStream<number[]>({
      async write(items) {
        sizes.push(items.length);
        // Busy for longer than a batch may wait.
        await new Promise((resolve) => setTimeout(resolve, 7));
      },
    });
    const stage = batch<number>(100, { maxWaitMs: 3 });
    const run = way === "pipeline"
      ? pipeline(source(), stage, sink)
      : ReadableStream.from(source()).pipeThrough(fuse(stage)).pipeTo(sink);
    await time.run(run as Promise<unknown>);
    assertEquals(sizes.reduce((sum, size) => sum + size, 0), 400);
    // The first may leave at once; while it is written, the others fill.
    const full = sizes.slice(1, -2);
    assertEquals(full.filter((size) => size === 100).length, full.length, `${way}: ${sizes}`);
  }
});
