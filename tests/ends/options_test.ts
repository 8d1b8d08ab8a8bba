import { assertEquals, assertRejects } from "@std/assert";
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

test("an end's options are a plain object, with a prototype or without, and undefined is none", async () => {
  const bare = Object.assign(Object.create(null), { signal: new AbortController().signal });
  for (const options of [{}, { ...bare }, bare, undefined]) {
    assertEquals(await untyped([1, 2], options), [1, 2]);
  }
  const failing = Object.assign(Object.create(null), { signal: AbortSignal.abort("why") });
  assertEquals(await untyped([1], failing).catch((reason) => `failed: ${reason}`), "failed: why");
});

test("an end's last argument that has a stage's method is a stage, and so is what is no plain object", async () => {
  const stage = {
    transform: (chunk: number, controller: TransformStreamDefaultController<number>) =>
      controller.enqueue(chunk * 10),
  };
  assertEquals(await untyped([1, 2], stage), [10, 20]);
  class Stage {
    transform(chunk: number, controller: TransformStreamDefaultController<number>): void {
      controller.enqueue(chunk * 10);
    }
  }
  assertEquals(await untyped([1, 2], new Stage()), [10, 20]);
  await assertRejects(() => Promise.resolve().then(() => untyped([1], null)), TypeError);
});

test("an end's last argument that has any member of a stage or a pair of streams is no options", async () => {
  const members = ["start", "transform", "flush", "cancel"];
  for (const member of members) {
    // What a stage would not do is an error of a stage, not of an unknown option.
    assertEquals(await untyped([], { [member]() {} }), []);
  }
  for (const member of ["readable", "writable", "readableType", "writableType"]) {
    const { message } = await assertRejects(
      () => Promise.resolve().then(() => untyped([1], { [member]: "x" })),
      Error,
    );
    assertEquals(/unknown option/i.test(message), false, message);
  }
  const { message } = await assertRejects(
    () => Promise.resolve().then(() => untyped([1], { started: 1 })),
    TypeError,
  );
  assertEquals(message.includes("started"), true);
});

test("an end's last argument that is null is a stage that is wrong, not options", async () => {
  for (const end of [first, last, toArray, toBytes, toJson, toText]) {
    const run = () => (end as typeof untyped)([1], null);
    const { message } = await assertRejects(async () => await run(), TypeError);
    assertEquals(message.includes("stage 1 is null, not a stage"), true, message);
  }
});

test("an end passes every stage on, with options behind them or without", async () => {
  const stages = [map((n: number) => n + 1), map((n: number) => n * 10)];
  for (const options of [[], [{}], [undefined], [{ maxChunks: 9 }]]) {
    assertEquals(await untyped([1, 2], ...stages, ...options), [20, 30]);
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
