import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { compose, flatMap, fuse, map } from "@hosepipe/streams";
import { errorOf } from "../lib/error_of.ts";
import { microtasks } from "../lib/microtasks.ts";
import { range } from "../lib/range.ts";
import { settledWithin } from "../lib/settled_within.ts";
import { turns } from "../lib/turns.ts";

const failure = new Error("a failure on purpose");

for (const isStarted of [true, false]) {
  test(`an abort does not wait for a write that waits for room, started ${isStarted}`, async () => {
    for (
      const stages of [[{}], [map((n: number) => n), { flush() {} }], [flatMap((n: number) => [n])]]
    ) {
      const { readable, writable } = fuse(...stages as [Transformer<number, number>]);
      const writer = writable.getWriter();
      writer.closed.catch(() => {});
      if (isStarted) await turns(1);
      const written = range(stages.length + 2).map((n) => errorOf(writer.write(n)));
      if (isStarted) await turns(1);
      const aborted = errorOf(writer.abort(failure));
      assertEquals((await settledWithin(aborted, 50)).state, "fulfilled");
      assertEquals([await aborted, (await Promise.all(written)).at(-1)], ["none", [failure]]);
      // What had gone on before is delivered first.
      assertEquals(await errorOf(Array.fromAsync(readable)), [failure]);
    }
  });

  test(`a chunk that an abort has refused is not taken by a read beside it, started ${isStarted}`, async () => {
    const seen: unknown[] = [];
    const { readable, writable } = fuse({
      transform(chunk: number, controller: TransformStreamDefaultController<number>) {
        seen.push(chunk);
        controller.enqueue(chunk);
      },
    });
    const writer = writable.getWriter();
    writer.closed.catch(() => {});
    if (isStarted) await turns(1);
    const written = errorOf(writer.write(1));
    if (isStarted) await turns(1);
    const aborted = errorOf(writer.abort(failure));
    const read = errorOf(readable.getReader().read());
    assertEquals(await Promise.all([aborted, written, read]), ["none", [failure], [failure]]);
    assertEquals(seen, []);
  });
}

for (const highWaterMark of [0, 1, 2, 16]) {
  test(`a composition in a native stream delivers all before its failure to whoever reads late, mark ${highWaterMark}`, async () => {
    const stage = compose(
      flatMap((n: number) => range(n)),
      map((n: number) => {
        if (n === 3) throw failure;
        return n;
      }),
    );
    const { readable, writable } = new TransformStream(stage, undefined, { highWaterMark });
    const writer = writable.getWriter();
    void writer.write(9).catch(() => {});
    writer.closed.catch(() => {});
    await turns(5);
    const reader = readable.getReader();
    const chunks: unknown[] = [];
    for (let n = 0; n < 3; n++) {
      chunks.push((await reader.read()).value);
      await turns(2);
    }
    assertEquals(chunks, [0, 1, 2]);
    assertEquals(await errorOf(reader.read()), [failure]);
    assertEquals(await errorOf(writer.closed), [failure]);
  });
}

test("however many writes wait for room, an abort is listened for once", async () => {
  const { addEventListener } = EventTarget.prototype;
  let listeners = 0;
  EventTarget.prototype.addEventListener = function (this: EventTarget, ...args: unknown[]) {
    if (this instanceof AbortSignal && args[0] === "abort") listeners++;
    return Reflect.apply(addEventListener, this, args);
  } as typeof addEventListener;
  try {
    const { readable, writable } = fuse(map((n: number) => n));
    const writer = writable.getWriter();
    const reader = readable.getReader();
    for (let n = 0; n < 20; n++) {
      const written = writer.write(n);
      await turns(1);
      assertEquals(await reader.read(), { done: false, value: n });
      await written;
    }
    assertEquals(listeners, 1);
    await reader.cancel();
  } finally {
    EventTarget.prototype.addEventListener = addEventListener;
  }
});

test("a start that fails after its stage was ended from behind is no failure of the chain", async () => {
  for (let delay = 0; delay < 8; delay++) {
    const chunks: string[] = [];
    let last: TransformStreamDefaultController<string> | undefined;
    const chain = fuse<string, string, string, string>(
      {
        async start(controller) {
          await microtasks(3);
          controller.enqueue("start");
        },
      },
      { start: (controller) => void (last = controller) },
      {
        async flush(controller) {
          await microtasks(2);
          controller.enqueue("flush");
        },
      },
    );
    const done = chain.readable.pipeTo(
      new WritableStream({ write: (chunk) => void chunks.push(chunk) }),
    );
    await microtasks(delay);
    last!.terminate();
    await done;
    assertEquals(chunks.at(-1), "flush", `after ${delay} microtasks`);
  }
});
