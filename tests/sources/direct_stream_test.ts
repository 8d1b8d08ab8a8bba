import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { concat, merge, pipeline, tee, zip } from "@hosepipe/streams";
import { errorOf } from "../lib/error_of.ts";
import { turns } from "../lib/turns.ts";

/** A source whose chunks are given by hand. */
function byHand() {
  const asked: { resolve(value: number): void; reject(reason: unknown): void }[] = [];
  const cancels: unknown[] = [];
  const readable = new ReadableStream<number>({
    pull: (controller) =>
      new Promise<number>((resolve, reject) => asked.push({ resolve, reject })).then((value) =>
        controller.enqueue(value)
      ),
    cancel: (reason) => void cancels.push(reason),
  }, { highWaterMark: 0 });
  return { asked, cancels, readable };
}

const joins = {
  concat: (source: ReadableStream<number>) => concat(source),
  merge: (source: ReadableStream<number>) => merge(source),
  tee: (source: ReadableStream<number>) => tee(source, 1)[0]!,
  zip: (source: ReadableStream<number>) => zip(source),
};

for (const [name, join] of Object.entries(joins)) {
  const chunk = (n: number) => name === "zip" ? [n] : n;

  test(`${name}(): a chunk that is read for a pipeline that has left comes to the next reader`, async () => {
    for (const isThere of [false, true]) {
      for (const next of ["reader", "pipeline", "iteration"]) {
        const { asked, readable } = byHand();
        const joined = join(readable) as ReadableStream<unknown>;
        const stop = new AbortController();
        const running = errorOf(
          pipeline(joined, () => {}, { signal: stop.signal, preventCancel: true }),
        );
        await turns();
        assertEquals(asked.length, 1);
        stop.abort("enough");
        assertEquals([await running, joined.locked], [["enough"], false]);
        if (isThere) {
          asked[0]!.resolve(1);
          await turns();
        }
        const chunks: unknown[] = [];
        const nexts: Record<string, () => Promise<unknown>> = {
          async reader() {
            const reader = joined.getReader();
            for (let count = 0; count < 2; count++) chunks.push((await reader.read()).value);
          },
          pipeline: () => pipeline(joined, (chunk) => void chunks.push(chunk)),
          async iteration() {
            for await (const chunk of joined) if (chunks.push(chunk) === 2) break;
          },
        };
        const reading = errorOf(nexts[next]!());
        await turns();
        if (!isThere) asked[0]!.resolve(1);
        await turns();
        // Nothing is read twice at a time.
        assertEquals(asked.length, 2, next);
        asked[1]!.resolve(2);
        await turns();
        assertEquals(chunks, [chunk(1), chunk(2)], next);
        if (next !== "pipeline") await reading;
      }
    }
  });

  test(`${name}(): a pipeline after a reader that has left its read behind loses nothing`, async () => {
    const { asked, readable } = byHand();
    const joined = join(readable) as ReadableStream<unknown>;
    const reader = joined.getReader();
    const read = errorOf(reader.read());
    await turns();
    reader.releaseLock();
    await read;
    const chunks: unknown[] = [];
    const stop = new AbortController();
    const running = errorOf(
      pipeline(joined, (chunk) => void chunks.push(chunk), { signal: stop.signal }),
    );
    await turns();
    asked[0]!.resolve(1);
    await turns();
    asked[1]!.resolve(2);
    await turns();
    assertEquals(chunks, [chunk(1), chunk(2)]);
    stop.abort("enough");
    assertEquals(await running, ["enough"]);
  });

  test(`${name}(): calls of its iterator are answered in their order, and its end cancels`, async () => {
    const { asked, cancels, readable } = byHand();
    const joined = join(readable) as ReadableStream<unknown>;
    const iterator = joined[Symbol.asyncIterator]() as AsyncIterator<unknown>;
    assertEquals(joined.locked, true);
    const answers = [iterator.next(), iterator.next(), iterator.return!("why"), iterator.next()];
    await turns();
    assertEquals([asked.length, cancels], [1, []]);
    asked[0]!.resolve(1);
    await turns();
    asked[1]!.resolve(2);
    assertEquals(await Promise.all(answers), [
      { done: false, value: chunk(1) },
      { done: false, value: chunk(2) },
      { done: true, value: "why" },
      { done: true, value: undefined },
    ]);
    assertEquals([cancels, joined.locked], [["why"], false]);
  });

  test(`${name}(): its iterator ends once, without and with a failure`, async () => {
    const ended = join(new ReadableStream({ start: (controller) => controller.close() }));
    assertEquals(await Array.fromAsync(ended as AsyncIterable<unknown>), []);
    assertEquals(ended.locked, false);
    for (const reason of [new Error("why"), undefined]) {
      const { asked, readable } = byHand();
      const joined = join(readable) as ReadableStream<unknown>;
      const iterator = joined[Symbol.asyncIterator]() as AsyncIterator<unknown>;
      const failed = errorOf(iterator.next());
      await turns();
      asked[0]!.reject(reason);
      assertEquals(await failed, [reason]);
      assertEquals(joined.locked, false);
      assertEquals(await iterator.next(), { done: true, value: undefined });
      assertEquals(await errorOf(joined.getReader().read()), [reason]);
    }
  });
}

test("chunks of a join may be undefined", async () => {
  const given: unknown[] = [];
  await pipeline(merge([undefined, null], [undefined]), (chunk) => void given.push(chunk));
  assertEquals(given.length, 3);
  const [branch] = tee([undefined, 1], 1);
  assertEquals(await Array.fromAsync(branch!), [undefined, 1]);
});
