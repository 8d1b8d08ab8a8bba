import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import {
  count,
  every,
  find,
  first,
  iterate,
  last,
  map,
  reduce,
  some,
  toArray,
  toBytes,
  toJson,
  toText,
} from "@hosepipe/streams";
import type { PendingRun, RunFailure } from "@hosepipe/streams/inspect";
import { virtualTime } from "@hosepipe/streams/testing";
import { errorOf } from "../lib/error_of.ts";
import { held } from "../lib/held.ts";
import { turns } from "../lib/turns.ts";

// What only a caller without types does.
// deno-lint-ignore no-explicit-any
const untyped = toArray as (...args: any[]) => Promise<unknown[]>;

const bare = (signal: AbortSignal) => Object.assign(Object.create(null), { signal });
const transform = (n: number, controller: TransformStreamDefaultController<number>) =>
  controller.enqueue(n * 10);
class Stage {
  transform = transform;
}
const plusOne = map((n: number) => n + 1);

type Last = readonly [args: readonly unknown[], outcome: readonly number[] | string];

/** What an end's last arguments make of 1 and 2, or what is wrong with them. */
const lasts: readonly Last[] = [
  [[], [1, 2]],
  [[{}], [1, 2]],
  [[undefined], [1, 2]],
  [[bare(new AbortController().signal)], [1, 2]],
  [[bare(AbortSignal.abort("why"))], "why"],
  [[{ transform }], [10, 20]],
  [[new Stage()], [10, 20]],
  [[null], "stage 1 is null, not a stage"],
  [[{ started: 1 }], "started"],
  ...["start", "flush", "cancel"].map((name): Last => [[{ [name]() {} }], [1, 2]]),
  ...["readable", "writable", "readableType", "writableType"].map((name): Last => [
    [{ [name]: "x" }],
    "stage 1",
  ]),
  [[plusOne, { transform }], [20, 30]],
  [[plusOne, { transform }, undefined], [20, 30]],
  [[plusOne, { transform }, { maxChunks: 9 }], [20, 30]],
];

test("an end's last argument is options if it is a plain object without a member of a stage or a pair", async () => {
  for (const [args, outcome] of lasts) {
    const given = await Promise.resolve().then(() => untyped([1, 2], ...args)).catch(String);
    if (typeof outcome === "string") assertStringIncludes(given as string, outcome);
    else assertEquals(given, [...outcome]);
  }
  for (const end of [first, last, toBytes, toJson, toText]) {
    const run = async () => await (end as typeof untyped)([1], null);
    await assertRejects(run, TypeError, "stage 1 is null, not a stage");
  }
});

const ofRuns = [
  ...["signal", "preventCancel", "onFailure", "callSite", "stallAfterMs", "onStall", "runName"],
];

for (
  const [name, end, limit] of [
    ["first", first],
    ["last", last],
    ["toArray", toArray, "maxChunks"],
    ["toBytes", toBytes, "maxBytes"],
    ["toJson", toJson, "maxLength"],
    ["toText", toText, "maxLength"],
  ] as unknown as [string, typeof untyped, string?][]
) {
  test(`${name}() says that the error is its own, and which options it knows`, async () => {
    const { message } = await assertRejects(async () => await end([], { most: 1 }), TypeError);
    const known = [...limit === undefined ? [] : [limit], ...ofRuns].join(", ");
    assertEquals(message, `Cannot run ${name}: unknown option "most"; the options are ${known}`);
    if (limit === undefined) return;
    const range = await assertRejects(async () => await end([], { [limit]: -1 }), RangeError);
    assertEquals(range.message.startsWith(`Cannot run ${name}: ${limit} must be`), true);
  });
}

test("an end that fails goes by its own name, whatever its run is called", async () => {
  const failures: RunFailure[] = [];
  const options = { runName: "import", onFailure: (it: RunFailure) => void failures.push(it) };
  await errorOf(toArray([1], { maxChunks: 0, ...options }));
  await errorOf(find([1], function isOld() {
    throw "why";
  }, options));
  assertEquals(failures.map(({ pipeline, side, name }) => [pipeline, side, name]), [
    ["import", "sink", "toArray"],
    ["import", "sink", "find(isOld)"],
  ]);
});

test("a limit of 0 allows what is empty", async () => {
  assertEquals(await untyped([], { maxChunks: 0 }), []);
  assertEquals(await toText(["", ""], { maxLength: 0 }), "");
  assertEquals(await toText([new Uint8Array()], { maxLength: 0 }), "");
  assertEquals(await toBytes(["", ""], { maxBytes: 0 }), new Uint8Array());
});

const yes = () => true;

async function loop(...args: unknown[]): Promise<void> {
  for await (
    const _ of (iterate as unknown as (...args: unknown[]) => AsyncIterable<unknown>)(...args)
  );
}

const ends: Readonly<Record<string, readonly [end: unknown, ...args: unknown[]]>> = {
  ...{ count: [count], every: [every, yes], find: [find, () => false], first: [first] },
  ...{ last: [last], reduce: [reduce, yes, 0], some: [some, () => false], toArray: [toArray] },
  ...{ iterate: [loop], toBytes: [toBytes], toJson: [toJson], toText: [toText] },
};

for (const [name, [end, ...args]] of Object.entries(ends)) {
  const run = (source: unknown, stages: readonly unknown[], options: object) =>
    (end as typeof untyped)(source, ...stages, ...args, options);

  test(`${name}() takes the options of a run`, async () => {
    await using time = virtualTime();
    const failures: RunFailure[] = [];
    const fail = map(() => {
      throw "why";
    });
    const onFailure = (failure: RunFailure) => void failures.push(failure);
    const options = { runName: "import", callSite: true, onFailure };
    assertEquals(await errorOf(run(["1"], [fail], options)), ["why"]);
    const [{ pipeline, stage, stageCount, callSite }] = failures as [RunFailure];
    assertEquals([pipeline, stage, stageCount, failures.length], ["import", 1, 1, 1]);
    assertEquals(/options_test\.ts:\d+$/.test(callSite!), true, callSite);

    const stalls: PendingRun[] = [];
    const gate = Promise.withResolvers<string>();
    const onStall = (stall: PendingRun) => void stalls.push(stall);
    const running = run(["1"], [map(() => gate.promise)], { stallAfterMs: 100, onStall });
    await time.advance(1_000);
    gate.resolve("1");
    await running;
    assertEquals(stalls.map(({ pipeline }) => pipeline), [name]);

    let isCancelled = false;
    const source = new ReadableStream({
      pull: (controller) => controller.enqueue("1"),
      cancel: () => void (isCancelled = true),
    });
    assertEquals(await errorOf(run(source, [fail], { preventCancel: true })), ["why"]);
    assertEquals([isCancelled, source.locked], [false, false]);
    const refused = await errorOf(run([], [], { preventClose: true })) as Error[];
    assertEquals(refused[0]!.message.startsWith(`Cannot run ${name}: unknown option`), true);
  });
}

type Search = (source: number[], fn: (n: number) => unknown, options: object) => Promise<unknown>;
const searches = { some, every, find } as unknown as Record<"some" | "every" | "find", Search>;

test("some, every and find call with several chunks at a time, and end with the first that decides", async () => {
  const cases = [
    ["some", { 1: true }, true],
    ["some", { 0: false, 1: false, 2: true }, true],
    ["some", { 0: false, 1: false, 2: false }, false],
    ["every", { 1: false }, false],
    ["every", { 0: true, 1: true, 2: true }, true],
    // The first is known to be the first once those before it have not passed.
    ["find", { 1: true, 0: false }, 11],
    ["find", { 1: true, 0: true }, 10],
    ["find", { 0: false, 1: false, 2: false }, undefined],
  ] as const;
  for (const [name, answers, expected] of cases) {
    const { fn, calls } = held<boolean, [chunk: number]>();
    const ended = searches[name]([10, 11, 12], (n) => fn(n), { concurrency: 2 });
    await turns();
    assertEquals(calls.map(({ args }) => args[0]), [10, 11]);
    for (const [index, answer] of Object.entries(answers)) {
      calls[Number(index)]!.resolve(answer);
      await turns();
    }
    assertEquals(await ended, expected);
  }
});

for (const [name, end] of Object.entries(searches)) {
  test(`${name} refuses a concurrency that is none`, async () => {
    const run = (concurrency: unknown) => () => end([], () => true, { concurrency });
    const need = `Cannot run ${name}: concurrency must be a positive integer, got`;
    await assertRejects(run(0), RangeError, `${need} 0`);
    await assertRejects(run("2"), TypeError, `${need} "2"`);
  });
}
