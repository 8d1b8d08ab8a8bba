import { test } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { compose, flatMap, map, parallel, type Transformer } from "@hosepipe/streams";
import { meaningOf } from "../../src/kernels/registry.ts";
import { errorOf } from "../lib/error_of.ts";
import { from } from "../lib/from.ts";
import { settledWithin } from "../lib/settled_within.ts";
import { turns } from "../lib/turns.ts";
import { withTimerCount } from "../lib/with_timer_count.ts";
import { programWays, runProgram } from "../lib/programs.ts";
import { run } from "../lib/run.ts";

const turn = () => new Promise((resolve) => setTimeout(resolve));

/** A stage that notes what is called of it. */
function noting(name: string, calls: string[]): Transformer<number, number> {
  return {
    start: () => void calls.push(`${name} start`),
    transform: (chunk, controller) => controller.enqueue(chunk),
    flush: () => void calls.push(`${name} flush`),
    cancel: (reason) => void calls.push(`${name} cancel ${reason}`),
  };
}

test("a cancelled native stream of a composition cancels each of its stages, and no other stream's", async () => {
  const calls: string[] = [];
  const stage = compose(noting("a", calls), noting("b", calls));
  const streams = Array.from({ length: 3 }, () => new TransformStream(stage));
  await turn();
  calls.length = 0;
  await streams[1]!.readable.cancel("enough");
  assertEquals(calls.toSorted(), ["a cancel enough", "b cancel enough"]);
  calls.length = 0;
  await streams[0]!.writable.abort("broken");
  assertEquals(calls.toSorted(), ["a cancel broken", "b cancel broken"]);

  calls.length = 0;
  const reader = streams[2]!.readable.getReader();
  const writer = streams[2]!.writable.getWriter();
  writer.write(1);
  assertEquals(await reader.read(), { done: false, value: 1 });
  assertEquals(calls, []);
  await Promise.all([writer.close(), reader.read()]);
  assertEquals(calls, ["a flush", "b flush"]);
});

test("cancelling a native stream of a composition ends work that hangs", async () => {
  const calls: string[] = [];
  const stage = compose(
    noting("a", calls),
    parallel(() => new Promise<number>(() => {}), { concurrency: 2 }),
    noting("b", calls),
  );
  let cancelled: unknown;
  const source = new ReadableStream<number>({
    pull: (controller) => controller.enqueue(1),
    cancel: (reason) => void (cancelled = reason),
  });
  const reader = source.pipeThrough(new TransformStream(stage)).getReader();
  const read = reader.read();
  await turn();
  await reader.cancel("enough");
  assertEquals(await read, { done: true, value: undefined });
  await turn();
  assertEquals(cancelled, "enough");
  assertEquals(calls.filter((call) => call.includes("cancel")).toSorted(), [
    "a cancel enough",
    "b cancel enough",
  ]);
});

test("a reader that leaves while a composition flushes ends its stages", async () => {
  for (const highWaterMark of [0, 1, 4]) {
    let made = 0;
    let isClosed = false;
    const endless = compose(
      map((n: number) => n),
      flatMap(function* (n: number) {
        try {
          while (true) yield n + made++;
        } finally {
          isClosed = true;
        }
      }),
    );
    const { readable, writable } = new TransformStream(endless, {}, { highWaterMark });
    const writer = writable.getWriter();
    const closed = writer.write(0).then(() => writer.close()).catch(() => {});
    const reader = readable.getReader();
    assertEquals(await reader.read(), { done: false, value: 0 });
    await new Promise((resolve) => setTimeout(resolve, 5));
    await reader.cancel("enough");
    await closed;
    assert(isClosed, `with room for ${highWaterMark}`);
  }
});

test("a composition's stages are its own: a changed copy is another transformer, the original cannot be changed", async () => {
  const stage = compose(map((n: number) => n + 1), map((n) => n * 2));
  const copy: Transformer<number, number> = {
    ...stage,
    flush: async (controller) => {
      await stage.flush!(controller);
      controller.enqueue(-1);
    },
  };
  for (const way of programWays) {
    for (
      const [made, expected] of [
        [copy, [4, 6, -1]],
        [stage, [4, 6]],
        [compose(), [1, 2]],
        [compose([]), [1, 2]],
        [compose(stage, compose(), stage), [10, 14]],
      ] as const
    ) {
      const out: unknown[] = [];
      await runProgram(
        way,
        from([1, 2]),
        made as Transformer<number, unknown>,
        null,
        (chunk) => void out.push(chunk),
      );
      assertEquals(out, [...expected], way);
    }
  }
  assertThrows(() => {
    stage.transform = undefined;
  }, TypeError);
});

test("an array given to compose may change afterwards", async () => {
  const stages = [map((n: number) => n + 1)];
  const stage = compose(stages);
  stages.push(map((n: number) => n * 100));
  assertEquals(await run([1], stage), [2]);
});

test("compositions are flattened, however deep", () => {
  const [a, b, c] = [map((n: number) => n), map((n: number) => n), map((n: number) => n)];
  const { stages } = meaningOf(compose(a, compose(b, compose(c)), compose()))!;
  assertEquals(stages!.length, 3);
  assert([a, b, c].every((stage, index) => stages![index] === stage));
});

const failure = new Error("a failure on purpose");
const other = new Error("another failure");

for (const end of ["abort", "cancel"] as const) {
  test(`an ${end} of a composition in a native stream reaches each stage, waits for it, and fails as it does`, async () => {
    const outcomes = [["none", "none"], ["other", [other]], ["same", "either"]] as const;
    for (const [index, [act, outcome]] of [...outcomes, ...outcomes].entries()) {
      const highWaterMark = index < outcomes.length ? 0 : 1;
      const told: unknown[] = [];
      const answer = Promise.withResolvers<void>();
      const stages = [0, 1].map((place) => ({
        cancel(reason: unknown) {
          told.push([place, reason]);
          return answer.promise;
        },
      }));
      const { readable, writable } = new TransformStream(compose(stages), {}, { highWaterMark });
      const writer = writable.getWriter();
      const reader = readable.getReader();
      for (const { closed } of [writer, reader]) closed.catch(() => {});
      await turns(1);
      const ended = end === "abort" ? writer.abort(failure) : reader.cancel(failure);
      ended.catch(() => {});
      while (told.length === 0) await turns(1);
      assertEquals((await settledWithin(ended, 5)).state, "pending");
      if (act === "none") answer.resolve();
      else answer.reject(act === "other" ? other : failure);
      const error = await errorOf(ended);
      if (outcome !== "either") assertEquals(error, outcome as never);
      await turns(2);
      const places = told.map((each) => (each as [number])[0]);
      // With no mark an abort looks like a cancel.
      assertEquals(places, end === "abort" && highWaterMark > 0 ? [0, 1] : [1, 0]);
      if (act === "none") {
        assertEquals(told.map((each) => (each as unknown[])[1]), [failure, failure]);
      }
    }
  });
}

test("a composition whose transform and flush alone are taken begins with its first chunk", async () => {
  const { transform, flush } = compose(map((n: number) => n + 1), {
    flush: (controller: TransformStreamDefaultController<number>) => controller.enqueue(9),
  });
  const stream = from([1, 2, 3]).pipeThrough(
    new TransformStream<number, number>({ transform: transform!, flush: flush! }),
  );
  assertEquals(await Array.fromAsync(stream), [2, 3, 4, 9]);
  const empty = from<number>([]).pipeThrough(
    new TransformStream<number, number>({ transform: transform!, flush: flush! }),
  );
  assertEquals(await Array.fromAsync(empty), [9]);
});

test("of two streams that share a copied composition the cancelled one ends when it next gives a chunk", async () => {
  const cancelled: unknown[] = [];
  const watched: Transformer<number, number> = { cancel: (reason) => void cancelled.push(reason) };
  const copy = { ...compose(watched, flatMap((n: number) => [n, -n, 10 * n])) };
  const [one, other] = [1, 2].map(() => {
    const { readable, writable } = new TransformStream<number, number>(copy, {}, {
      highWaterMark: 1,
    });
    return { reader: readable.getReader(), writer: writable.getWriter() };
  });
  one!.writer.closed.catch(() => {});
  // The first chunk fills the queue, the second waits before it.
  one!.writer.write(1).catch(() => {});
  const written = other!.writer.write(2);
  await turns(3);
  await one!.reader.cancel(failure);
  while (cancelled.length === 0) await turns(1);
  const closed = other!.writer.close();
  const values = [];
  for (let count = 0; count < 4; count++) values.push((await other!.reader.read()).value);
  await Promise.all([written, closed]);
  assertEquals(values, [2, -2, 20, undefined]);
  assertEquals(cancelled.length, 1);
});

test("a cancelled stream of a shared composition waits for nothing more, though its stages have failed", () =>
  withTimerCount(async (pending) => {
    const controllers: TransformStreamDefaultController<number>[] = [];
    const failing: Transformer<number, number> = {
      start: (controller) => void controllers.push(controller),
    };
    const copy = { ...compose(flatMap((n: number) => [n, -n]), failing) };
    const [{ readable, writable }] = [0, 1].map(() =>
      new TransformStream<number, number>(copy, {}, { highWaterMark: 1 })
    ) as [TransformStream<number, number>, unknown];
    const writer = writable.getWriter();
    writer.closed.catch(() => {});
    writer.write(1).catch(() => {});
    // The second chunk waits for room.
    while (pending() === 0) await turns(1);
    controllers[0]!.error(other);
    await turns(1);
    await readable.cancel(failure);
    await turns(3);
    assertEquals(pending(), 0);
  }));

test("a size that throws fails a stream of a composition at both ends with its reason, and ends its stages", async () => {
  for (const place of ["transform", "flush"]) {
    const ended: unknown[] = [];
    const stage: Transformer<number, number> = {
      [place]: (...args: [TransformStreamDefaultController<number>]) => args.at(-1)!.enqueue(1),
      cancel: (reason) => void ended.push(reason),
    };
    const { readable, writable } = new TransformStream(compose(stage, map((n) => n)), {}, {
      highWaterMark: 1,
      size() {
        throw failure;
      },
    });
    const [writer, reader] = [writable.getWriter(), readable.getReader()];
    const written = place === "transform" ? writer.write(1) : writer.close();
    const ends = [writer.closed, reader.closed].map(errorOf);
    assertEquals(await Promise.all(ends), [[failure], [failure]], place);
    // A chunk is written once the first stage has taken it.
    assertEquals(await errorOf(written), place === "flush" ? [failure] : "none");
    if (place === "flush") continue;
    while (ended.length === 0) await turns(1);
    assertEquals(ended, [failure]);
  }
});
