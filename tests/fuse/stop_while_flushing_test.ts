import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import {
  attempt,
  compose,
  expand,
  flatMap,
  fuse,
  groupBy,
  map,
  parallel,
  pipeline,
  type StageContext,
  take,
  type Transformer,
} from "@hosepipe/streams";
import { collectUnhandled } from "../lib/collect_unhandled.ts";
import { errorOf } from "../lib/error_of.ts";
import { from } from "../lib/from.ts";
import { turns } from "../lib/turns.ts";
import { until } from "../lib/until.ts";

type Call = (n: number, index: number, context: StageContext) => Promise<number>;

const concurrency = 4;
const listed = (call: Call) => async (n: number, index: number, context: StageContext) => [
  await call(n, index, context),
];
const makers: Record<string, (call: Call) => Transformer<number, number>> = {
  "parallel": (call) => parallel(call, { concurrency }),
  "parallel, unordered": (call) => parallel(call, { concurrency, ordered: false }),
  "parallel, keys": (call) => parallel(call, { concurrency, key: (n) => n }),
  "attempt, parallel": (call) => attempt(parallel(call, { concurrency }), { delayMs: 0 }),
  "flatMap": (call) => flatMap(listed(call), { concurrency }),
  "flatMap, unordered": (call) => flatMap(listed(call), { concurrency, ordered: false }),
  "expand": (call) =>
    expand(async (n: number, index, context) => {
      await call(n, index, context);
      return [];
    }, { concurrency }),
  "groupBy": (call) => groupBy((n) => n, () => map(call)),
  "parallel before others": (call) =>
    compose(parallel(call, { concurrency }), map((n) => n), map((n) => n)),
};

/** Calls that wait long for their signal to abort, but for the first ones. */
class Calls {
  readonly aborted: unknown[] = [];
  begun = 0;
  readonly #quick: number;

  constructor(quick: number) {
    this.#quick = quick;
  }

  readonly call: Call = async (n, _, { signal }) => {
    await undefined;
    if (this.begun++ < this.#quick) return n;
    await Promise.race([
      turns(60),
      new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve())),
    ]);
    if (signal.aborted) this.aborted.push(signal.reason);
    signal.throwIfAborted();
    return n;
  };
}

for (const [name, make] of Object.entries(makers)) {
  test(`pipeline, ${name}: a signal reaches the calls in flight once the source has ended`, async () => {
    const unhandled = collectUnhandled();
    const calls = new Calls(0);
    const stop = new AbortController();
    const run = errorOf(
      pipeline([1, 2, 3], make(calls.call), () => {}, { signal: stop.signal }),
    );
    await until(() => calls.begun === 3);
    await turns();
    stop.abort("enough");
    assertEquals([await run, calls.aborted], [["enough"], ["enough", "enough", "enough"]]);
    await turns();
    assertEquals(unhandled.take(), []);
    unhandled.close();
  });

  test(`pipeline, ${name}: a sink that fails and an early end stop the calls in flight`, async () => {
    const unhandled = collectUnhandled();
    for (const way of ["fails", "ends"]) {
      // Where chunks go out before their calls, one has begun when the first is held.
      const quick = name === "expand" ? 0 : 1;
      const calls = new Calls(quick);
      const held: (() => void)[] = [];
      const write = () => {
        if (way === "ends") return;
        return new Promise<void>((_, reject) => void held.push(() => reject("no room")));
      };
      // The end comes when the source has ended, and the calls wait.
      const gate = {
        async transform(n: number, controller: TransformStreamDefaultController<number>) {
          if (way === "ends") await new Promise<void>((resolve) => void held.push(resolve));
          controller.enqueue(n);
        },
      };
      const run = errorOf(pipeline([1, 2, 3], make(calls.call), gate, take(1), write));
      await until(() => held.length > 0 && calls.begun > quick);
      await turns();
      held[0]!();
      assertEquals(await run, way === "fails" ? ["no room"] : "none");
      await turns();
      assert(calls.begun > quick);
      assertEquals(calls.aborted.length, calls.begun - quick, way);
    }
    assertEquals(unhandled.take(), []);
    unhandled.close();
  });

  test(`fuse, ${name}: a cancel reaches the calls in flight once the source has ended`, async () => {
    const unhandled = collectUnhandled();
    const calls = new Calls(0);
    const reader = from([1, 2, 3]).pipeThrough(fuse(make(calls.call))).getReader();
    const reads = Promise.allSettled([1, 2, 3, 4].map(() => reader.read()));
    await until(() => calls.begun === 3);
    await turns();
    await reader.cancel("enough");
    await turns();
    assertEquals(calls.aborted, ["enough", "enough", "enough"]);
    await reads;
    await turns();
    assertEquals(unhandled.take(), []);
    unhandled.close();
  });
}

test("a stage of a user is flushed or cancelled, never both", async () => {
  for (const way of ["pipeline", "fuse"]) {
    const called: string[] = [];
    let end!: () => void;
    const stage = {
      flush() {
        called.push("flush");
        return new Promise<void>((resolve) => void (end = resolve));
      },
      cancel: () => void called.push("cancel"),
    };
    const stop = new AbortController();
    const reader = way === "fuse" ? from([1]).pipeThrough(fuse(stage)).getReader() : undefined;
    const run = errorOf(
      reader === undefined
        ? pipeline([1], stage, () => {}, { signal: stop.signal })
        : reader.read().then(() => reader.read()),
    );
    await turns();
    stop.abort("enough");
    const cancelled = reader?.cancel("enough");
    end();
    await cancelled;
    await run;
    await turns();
    assertEquals(called, ["flush"], way);
  }
});
