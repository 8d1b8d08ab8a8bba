import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { filter, flatMap, fuse, map, reader, stage } from "@hosepipe/streams";
import { errorOf } from "../lib/error_of.ts";
import { microtasks } from "../lib/microtasks.ts";
import { range } from "../lib/range.ts";
import { turns } from "../lib/turns.ts";
import { withClock as withClockOf } from "../lib/with_clock.ts";

/** Gives `use` a clock that it moves by hand. */
function withClock(use: (pass: (ms: number) => void, nowMs: () => number) => Promise<void>) {
  let nowMs = 1_000;
  const now = () => nowMs;
  return withClockOf(now, () => use((ms) => nowMs += ms, now));
}

/** The longest time that passes on the clock between two turns of the event loop. */
async function longestMs(nowMs: () => number, run: () => Promise<unknown>): Promise<number> {
  let lastMs = nowMs();
  let longest = 0;
  let isOver = false;
  const look = () => {
    longest = Math.max(longest, nowMs() - lastMs);
    lastMs = nowMs();
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await run();
  isOver = true;
  look();
  return longest;
}

test("a fused chain that never waits lets the event loop turn at least every 10 ms, a native one never", async () => {
  await withClock(async (pass, nowMs) => {
    const work = <T>(value: T): T => {
      pass(0.25);
      return value;
    };
    function* many(n: number) {
      for (let i = 0; i < 3_000; i++) {
        pass(0.01);
        yield n;
      }
    }
    const chains: Record<string, () => ReadableWritablePair<unknown, number>> = {
      "one stage": () => fuse(map(work)),
      "three stages": () => fuse(map(work), map(work), map(work)),
      "a queue": () => fuse(map(work), { readableStrategy: { highWaterMark: 16 } }),
      "nothing gets through": () => fuse(filter((n: number) => work(n) < 0)),
      "many of each": () => fuse(flatMap(many)),
      "many of each, and a queue": () =>
        fuse(flatMap(many), { readableStrategy: { highWaterMark: 16 } }),
      "many of a generator, and a queue": () =>
        fuse(
          stage(async function* (source: AsyncIterable<number>) {
            for await (const n of source) yield* many(n);
          }),
          { readableStrategy: { highWaterMark: 16 } },
        ),
    };
    for (const [name, make] of Object.entries(chains)) {
      const numbers = range(name.startsWith("many") ? 2 : 400);
      const run = () => Array.fromAsync(reader(numbers).pipeThrough(make()));
      const longest = await longestMs(nowMs, run);
      assert(longest <= 10, `${name}: ${longest} ms`);
      const piped = await longestMs(
        nowMs,
        () => reader(numbers).pipeThrough(make()).pipeTo(new WritableStream()),
      );
      assert(piped <= 10, `${name}, piped: ${piped} ms`);
    }
    const native = await longestMs(
      nowMs,
      () => Array.fromAsync(reader(range(400)).pipeThrough(new TransformStream(map(work)))),
    );
    assert(native > 50, `native: ${native} ms`);
  });
});

test("a chain that has waited is not kept waiting, however late its chunks come", async () => {
  await withClock(async (pass) => {
    for (const highWaterMark of [0, 16]) {
      const { readable, writable } = fuse(map((n: number) => n), {
        readableStrategy: { highWaterMark },
      });
      const [writer, defaultReader] = [writable.getWriter(), readable.getReader()];
      for (let n = 0; n < 40; n++) {
        let read: unknown;
        defaultReader.read().then(({ value }) => read = value);
        await turns(1);
        pass(100);
        void writer.write(n);
        await microtasks(20);
        assertEquals(read, n);
      }
      await defaultReader.cancel();
    }
  });
});

/** A chain in which a chunk waits for the event loop's turn, and what has happened to it. */
async function openPaused(pass: (ms: number) => void) {
  const seen: number[] = [];
  const { readable, writable } = fuse(map((n: number) => {
    seen.push(n);
    pass(100);
    return n;
  }));
  const writer = writable.getWriter();
  writer.closed.catch(() => {});
  const defaultReader = readable.getReader();
  await turns(2);
  const reads = range(3).map(() => errorOf(defaultReader.read()));
  const writes = range(3).map((n) => errorOf(writer.write(n)));
  await microtasks(100);
  return { seen, writer, defaultReader, reads, writes };
}

test("a chunk that waits for the event loop's turn goes on with it, and not before", async () => {
  await withClock(async (pass) => {
    const { seen, reads, writes } = await openPaused(pass);
    const early = seen.length;
    assert(early < 3, `${early}`);
    await Promise.all([...reads, ...writes]);
    assertEquals(seen.length, 3);
  });
});

test("a chunk that waits for the event loop's turn is refused by an abort at once, and by a cancel", async () => {
  for (const end of ["abort", "cancel"] as const) {
    await withClock(async (pass) => {
      const { seen, writer, defaultReader, writes } = await openPaused(pass);
      const early = seen.length;
      const ended = end === "abort" ? writer.abort("ended") : defaultReader.cancel("ended");
      let isEnded = false;
      ended.then(() => isEnded = true);
      await microtasks(20);
      assertEquals([isEnded, await writes[2]], [true, ["ended"]], end);
      await turns(2);
      assertEquals(seen.length, early, end);
    });
  }
});
