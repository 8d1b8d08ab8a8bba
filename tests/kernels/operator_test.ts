import { test } from "node:test";
import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import {
  compose,
  expand,
  flatMap,
  fuse,
  groupBy,
  map,
  pipeline,
  reader,
  stage,
} from "../../mod.ts";
import { Demand, whenRoom } from "../../src/kernels/demand.ts";
import { operator } from "../../src/kernels/operator.ts";
import { errorOf } from "../lib/error_of.ts";
import { from } from "../lib/from.ts";
import { microtasks } from "../lib/microtasks.ts";
import type { Stage } from "../lib/operator.ts";
import { programWays, runProgram } from "../lib/programs.ts";
import { turns } from "../lib/turns.ts";
import { until } from "../lib/until.ts";
import { withQuickTimers } from "../lib/with_quick_timers.ts";
import { withTimerCount } from "../lib/with_timer_count.ts";

async function outOf(way: string, chunks: readonly unknown[], ...stages: Stage[]) {
  const out: unknown[] = [];
  const stage = stages.length === 1 ? stages[0]! : compose(stages) as Stage;
  await runProgram(way, from(chunks), stage, null, (chunk) => void out.push(chunk));
  return out;
}

/** Counts in each stream for itself, and notes what is called. */
function makeCounter(calls: string[] = []) {
  let streams = 0;
  const stage = operator<unknown, string>((controller, context) => {
    const name = `s${streams++}`;
    let count = 0;
    calls.push(`${name} open`);
    return {
      transform: (chunk) => controller.enqueue(`${name} ${chunk} ${++count}`),
      flush: () => void calls.push(`${name} flush`),
      cancel: (reason) => void calls.push(`${name} cancel ${reason} ${context.signal.aborted}`),
    };
  });
  return { stage, calls };
}

for (const way of programWays) {
  test(`a copy of an operator does the same, ${way}`, async () => {
    const { stage, calls } = makeCounter();
    const copy = { ...stage };
    assertEquals(await outOf(way, ["a", "b"], copy), ["s0 a 1", "s0 b 2"]);
    assertEquals(await outOf(way, ["c"], copy), ["s1 c 1"]);
    assertEquals(calls, ["s0 open", "s0 flush", "s1 open", "s1 flush"]);
  });
}

const native = (stage: object) => new TransformStream(stage as Transformer<unknown, unknown>);

test("each native stream is cancelled for itself; the signal has aborted by then", async () => {
  const { stage, calls } = makeCounter();
  const [one, other] = [native(stage), native(stage)];
  await one.readable.cancel("r");
  await other.writable.abort("w");
  assertEquals(calls, ["s0 open", "s1 open", "s0 cancel r true", "s1 cancel w true"]);
});

test("other code may look at start and cancel before a stream reads them", async () => {
  for (const names of [["cancel"], ["start"], ["start", "cancel"], ["cancel", "cancel"]] as const) {
    const { stage, calls } = makeCounter();
    for (const name of names) assertEquals(typeof stage[name as "start"], "function");
    const stream = native(stage);
    await stream.readable.cancel("r");
    assertEquals([names, calls], [names, ["s0 open", "s0 cancel r true"]]);
  }
});

test("of several streams of one copy none is cancelled wrongly", async () => {
  const { stage, calls } = makeCounter();
  const copy = { ...stage };
  const [one, other, third] = [native(copy), native(copy), native(copy)];
  await one.readable.cancel("r");
  await third.readable.cancel("r");
  assertEquals(calls, ["s0 open", "s1 open", "s2 open"]);
  const writer = other.writable.getWriter();
  void writer.write("a");
  assertEquals((await other.readable.getReader().read()).value, "s1 a 1");
});

test("a copy of flatMap whose sink fails as it flushes gives up what it reads", async () => {
  const failure = new Error("of the sink");
  for (const way of ["pipeline", "fuse", "native"]) {
    let open = 0;
    const stage = {
      ...flatMap(async function* (chunk: number) {
        open++;
        try {
          for (let count = 0; count < 5; count++) yield chunk;
        } finally {
          open--;
        }
      }, { concurrency: 2 }),
    };
    const sink = new WritableStream<number>({
      write() {
        throw failure;
      },
    });
    const pair = () => way === "fuse" ? fuse(stage) : new TransformStream(stage);
    const run = way === "pipeline"
      ? pipeline([1], stage, sink)
      : from([1]).pipeThrough(pair()).pipeTo(sink);
    assertEquals(await errorOf(run), [failure]);
    await turns();
    assertEquals(open, 0, way);
  }
});

test("what waits for room in a native stream that is cancelled without a call of `cancel` gives up what it reads", async () => {
  const cases = ["as it flushes", "one of two of a copy", "only methods that take the controller"];
  for (const unheard of cases) {
    for (
      const name of ["flatMap", "flatMap at a time", "expand", "generator", "groupBy", "compose"]
    ) {
      for (const highWaterMark of [0, 1, 2]) {
        let open = 0;
        const repeat = async function* (chunk: number) {
          open++;
          try {
            for (let count = 0; count < 9; count++) yield chunk + 1;
          } finally {
            open--;
          }
        };
        const repeatFirst = (chunk: number) => chunk === 1 ? repeat(chunk) : [];
        const whole = name === "generator"
          ? stage(async function* (source: AsyncIterable<number>) {
            for await (const chunk of source) yield* repeat(chunk);
          })
          : name === "expand"
          ? expand(repeatFirst)
          : name === "groupBy"
          ? groupBy(() => 1, () => flatMap(repeatFirst))
          : name === "compose"
          ? compose(flatMap(repeatFirst), map((chunk: number) => chunk))
          : flatMap(repeatFirst, { concurrency: name === "flatMap" ? 1 : 2 });
        const { transform, flush } = whole;
        const used = unheard === cases[0] ? whole : unheard === cases[1] ? { ...whole } : {
          transform: transform!,
          flush: flush!,
        };
        const make = () => new TransformStream<number, number>(used, {}, { highWaterMark });
        const pair = make();
        if (unheard === cases[1]) make();
        const writer = pair.writable.getWriter();
        writer.write(1).catch(() => {});
        if (unheard === cases[0]) writer.close().catch(() => {});
        const reader = pair.readable.getReader();
        await reader.read();
        await turns();
        await reader.cancel("no more");
        await turns(20);
        assertEquals(open, 0, `${unheard}, ${name}, ${highWaterMark}`);
      }
    }
  }
});

test("the signals of all that flatMap reads in a native stream that is cancelled as it flushes abort", async () => {
  for (const highWaterMark of [0, 1, 2]) {
    const pair = new TransformStream<number, number>(
      flatMap((chunk, _, { signal }) =>
        chunk === 1
          ? (async function* () {
            while (true) yield chunk;
          })()
          : new Promise<number[]>((_, reject) => {
            signal.addEventListener("abort", () => reject(signal.reason));
            signal.addEventListener("abort", () => aborted++);
          }), { concurrency: 3, ordered: false }),
      {},
      { highWaterMark },
    );
    let aborted = 0;
    const reader = from([2, 1]).pipeThrough(pair).getReader();
    await reader.read();
    await turns();
    await reader.cancel("no more");
    await until(() => aborted === 1);
  }
});

test("the stages before a copy of flatMap that waits for room in a native stream learn of a sink's failure", async () => {
  for (const highWaterMark of [0, 1, 2]) {
    const heard: unknown[] = [];
    const before = native({
      transform: (n: number, controller: TransformStreamDefaultController) => controller.enqueue(n),
      cancel: (reason: unknown) => void heard.push(reason),
    });
    const copy = { ...flatMap((n: number) => new Set([n, -n, 10 * n, 100 * n])) };
    let writes = 0;
    const sink = new WritableStream({
      write: () => ++writes === 2 ? Promise.reject("full") : undefined,
    });
    const stream = new TransformStream(copy, {}, { highWaterMark });
    await reader([1, 2, 3, 4]).pipeThrough(before).pipeThrough(stream).pipeTo(sink).catch(() => {});
    await turns(5);
    assertEquals([highWaterMark, heard], [highWaterMark, ["full"]]);
  }
});

test("what cannot tell which of several was cancelled may ask itself, as long as it has not ended", async () => {
  const asked: number[] = [];
  const ends: (() => void)[] = [];
  const stage = operator(() => {
    const index = ends.length;
    const ended = new Promise<void>((resolve) => ends[index] = resolve);
    return {
      transform() {},
      doubt: () => void asked.push(index),
      cancel: () => void asked.push(10 + index),
      ended,
    };
  });
  const copy = { ...stage };
  const streams = [native(copy), native(copy), native(copy)];
  await streams[0]!.readable.cancel();
  assertEquals(asked, [0, 1, 2]);
  ends[0]!();
  ends[2]!();
  await microtasks(3);
  await streams[1]!.readable.cancel();
  assertEquals(asked, [0, 1, 2, 11]);
});

test("an operator that ends its stream as it begins takes no chunk, and one that throws fails it", async () => {
  const ends = operator<unknown, unknown>((controller) => {
    controller.terminate();
    return { transform: () => controller.enqueue(1) };
  });
  const failure = new Error("no");
  const fails = operator<unknown, unknown>(() => {
    throw failure;
  });
  for (const way of programWays) {
    assertEquals(await outOf(way, [1, 2], ends), []);
    assertStrictEquals((await errorOf((async () => await outOf(way, [1], fails))()))[0], failure);
  }
});

test("an operator's dictionary cannot be changed", () => {
  const { stage } = makeCounter();
  assertThrows(() => {
    stage.transform = undefined;
  }, TypeError);
});

/** A room of a stream whose readable side has that mark. */
function open(highWaterMark: number) {
  let controller!: TransformStreamDefaultController<unknown>;
  let room!: Demand;
  const { readable } = new TransformStream(
    {
      start(given) {
        controller = given;
        room = new Demand(given);
      },
    },
    undefined,
    { highWaterMark },
  );
  return { controller, room, reader: readable.getReader() };
}

test("it asks 50 times by microtasks, then by timers, ever later", async () => {
  const { room } = open(0);
  let asked = 0;
  const delays = await withQuickTimers(() =>
    room.until(() => {
      asked++;
      return asked === 100;
    })
  );
  assertEquals(asked - delays.length, 50);
  const steps = delays.map((_, index) => Math.floor(index / 4));
  assertEquals(delays, steps);
});

test("a stream that says when it has room is asked then, and by no timer", () =>
  withTimerCount(async (pending) => {
    const looks: (() => void)[] = [];
    const controller = {
      desiredSize: 0,
      [whenRoom]: (look: () => void) => void looks.push(look),
    };
    const tell = () => looks.splice(0).forEach((look) => look());
    const room = new Demand(controller as unknown as TransformStreamDefaultController);
    let isSo = false;
    const waiting = room.until(() => isSo);
    await turns(1);
    tell();
    assertEquals([looks.length, pending()], [1, 0]);
    isSo = true;
    tell();
    await waiting;
    assertEquals([looks.length, pending()], [0, 0]);
    let count = 0;
    // One callback at a time, and none that is stopped.
    room.later(() => count++, 10);
    room.later(() => count++, 10);
    tell();
    room.later(() => count++, 10);
    room.stopLater();
    tell();
    assertEquals([count, looks.length, pending()], [1, 0, 0]);
  }));
