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
import { errorOf } from "../lib/error_of.ts";
import { from } from "../lib/from.ts";
import { turns } from "../lib/turns.ts";
import { until } from "../lib/until.ts";
import { held } from "../lib/held.ts";
import { unhandledDuring } from "../lib/unhandled_during.ts";

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

/** Calls that wait for their signal to abort, but for the first ones. */
class Calls {
  readonly aborted: unknown[] = [];
  begun = 0;
  readonly quick: number;

  constructor(quick: number) {
    this.quick = quick;
  }

  /** All that had begun and were not quick have been told. */
  async check(): Promise<void> {
    await turns();
    assert(this.begun > this.quick);
    assertEquals(this.aborted.length, this.begun - this.quick);
  }

  readonly call: Call = async (n, _, { signal }) => {
    await undefined;
    if (this.begun++ < this.quick) return n;
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    this.aborted.push(signal.reason);
    signal.throwIfAborted();
    return n;
  };
}

type Flushing = (make: (typeof makers)[string], isExpand: boolean) => Promise<void>;

const stops: Readonly<Record<string, Flushing>> = {
  async "a signal"(make) {
    const calls = new Calls(0);
    const stop = new AbortController();
    const { signal } = stop;
    const run = errorOf(pipeline([1, 2, 3], make(calls.call), () => {}, { signal }));
    await until(() => calls.begun === 3);
    await turns();
    stop.abort("enough");
    assertEquals([await run, calls.aborted], [["enough"], ["enough", "enough", "enough"]]);
  },
  async "a sink that fails"(make, isExpand) {
    // Where chunks go out before their calls, one has begun when the first is held.
    const calls = new Calls(isExpand ? 0 : 1);
    const { fn, calls: writes } = held<void>();
    const run = errorOf(pipeline([1, 2, 3], make(calls.call), fn));
    await endHeld(calls, writes, () => writes[0]!.reject("no room"));
    assertEquals(await run, ["no room"]);
    await calls.check();
  },
  async "an early end"(make, isExpand) {
    const calls = new Calls(isExpand ? 0 : 1);
    const { fn, calls: gates } = held<number>();
    const run = errorOf(pipeline([1, 2, 3], make(calls.call), map(fn), take(1), () => {}));
    await endHeld(calls, gates, () => gates[0]!.resolve(1));
    assertEquals(await run, "none");
    await calls.check();
  },
  async "a cancel of fuse"(make) {
    const calls = new Calls(0);
    const reader = from([1, 2, 3]).pipeThrough(fuse(make(calls.call))).getReader();
    const reads = Promise.allSettled([1, 2, 3, 4].map(() => reader.read()));
    await until(() => calls.begun === 3);
    await turns();
    await reader.cancel("enough");
    await turns();
    assertEquals(calls.aborted, ["enough", "enough", "enough"]);
    await reads;
  },
};

/** Ends a run once its source has ended and its calls wait. */
async function endHeld(calls: Calls, held: readonly unknown[], end: () => void) {
  await until(() => held.length > 0 && calls.begun > calls.quick);
  await turns();
  end();
}

for (const [name, make] of Object.entries(makers)) {
  for (const [how, stop] of Object.entries(stops)) {
    test(`${name}: ${how} reaches the calls in flight once the source has ended`, async () => {
      assertEquals(await unhandledDuring(() => stop(make, name === "expand")), []);
    });
  }
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
