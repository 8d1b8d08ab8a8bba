import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { testSource } from "@hosepipe/streams/testing";
import { fuse, pipeline, takeUntil } from "@hosepipe/streams";
import { countedSignal } from "../lib/counted_signal.ts";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { run } from "../lib/run.ts";
import { turns } from "../lib/turns.ts";

type Ways = "native" | "fused";
const ways: readonly Ways[] = ["native", "fused"];

function through<T>(way: Ways, source: ReadableStream<T>, stage: Transformer<T, T>) {
  return source.pipeThrough(way === "fused" ? fuse(stage) : new TransformStream(stage));
}

for (const way of ways) {
  for (const by of ["a signal", "a promise"] as const) {
    test(`takeUntil() ends at once by ${by} while nothing comes, ${way}`, async () => {
      const source = testSource<number>();
      const listened = countedSignal();
      const { promise, resolve } = Promise.withResolvers<void>();
      const stage = takeUntil<number>(by === "a signal" ? listened.signal : promise);
      const reader = through(way, source.readable, stage).getReader();
      const first = reader.read();
      await turns();
      source.give(1);
      assertEquals((await first).value, 1);
      const second = reader.read();
      await turns();
      if (by === "a signal") listened.abort("not a failure");
      else resolve();
      assertEquals((await second).done, true);
      await turns();
      assertEquals([source.state, listened.listeners()], ["cancelled", 0]);
    });
  }

  test(`takeUntil() with a signal that has aborted ends before any chunk, ${way}`, async () => {
    const source = countedSource();
    const ended = through(way, source.readable, takeUntil<number>(AbortSignal.abort()));
    assertEquals(await Array.fromAsync(ended), []);
    await turns();
    assertEquals(source.cancelReasons.length, 1);
  });

  test(`a promise that is rejected fails takeUntil(), ${way}`, async () => {
    const source = testSource<number>();
    const { promise, reject } = Promise.withResolvers<void>();
    const reader = through(way, source.readable, takeUntil<number>(promise)).getReader();
    const read = errorOf(reader.read());
    await turns();
    reject(undefined);
    assertEquals(await read, [undefined]);
    assertEquals(await source.cancelled, undefined);
  });

  for (const end of ["the end", "cancel"] as const) {
    test(`takeUntil() leaves no listener after ${end}, ${way}`, async () => {
      const listened = countedSignal();
      const stage = takeUntil<number>(listened.signal);
      for (let n = 0; n < 100; n++) {
        const stream = through(way, countedSource({ length: 3 }).readable, stage);
        if (end === "cancel") await stream.cancel();
        else assertEquals(await Array.fromAsync(stream), [0, 1, 2]);
      }
      await turns();
      assertEquals(listened.listeners(), 0);
    });
  }
}

test("takeUntil() in pipeline ends the run, with what is written so far", async () => {
  for (const by of ["a signal", "a promise"] as const) {
    const source = testSource<number>();
    const listened = countedSignal();
    const { promise, resolve } = Promise.withResolvers<void>();
    const stage = takeUntil<number>(by === "a signal" ? listened.signal : promise);
    const written: number[] = [];
    const job = pipeline(source.readable, stage, (n: number) => void written.push(n));
    await turns();
    source.give(1);
    await turns();
    if (by === "a signal") listened.abort(new Error("no failure"));
    else resolve();
    assertEquals((await job).chunksWritten, 1);
    assertEquals([written, source.state, listened.listeners()], [[1], "cancelled", 0]);
  }
});

test("one takeUntil() in several streams ends all of them", async () => {
  const stop = new AbortController();
  const stage = takeUntil<number>(stop.signal);
  const streams = [testSource<number>(), testSource<number>(), testSource<number>()];
  const ended = streams.map(({ readable }) =>
    Array.fromAsync(readable.pipeThrough(new TransformStream(stage)))
  );
  await turns();
  streams[1]!.give(1);
  await turns();
  stop.abort();
  assertEquals(await Promise.all(ended), [[], [1], []]);
});

test("a promise that many takeUntil() watch is asked once at a time", async () => {
  let asked = 0;
  const never = new Promise<void>(() => {});
  const { then } = never;
  never.then = ((...args: Parameters<typeof then>) => {
    asked++;
    return then.apply(never, args);
  }) as typeof then;
  for (let n = 0; n < 1000; n++) assertEquals(await run([n], takeUntil<number>(never)), [n]);
  assertEquals(asked, 1);
});
