import { test } from "node:test";
import { assertEquals, assertInstanceOf, assertStringIncludes } from "@std/assert";
import {
  filter,
  flatMap,
  fuse,
  map,
  pipeline,
  take,
  toBytes,
  toJson,
  toText,
} from "@hosepipe/streams";
import { from } from "../lib/from.ts";
import { errorOf } from "../lib/error_of.ts";
import { keepingSink } from "../lib/keeping_sink.ts";
import { settledWithin } from "../lib/settled_within.ts";
import { turns } from "../lib/turns.ts";
import { unhandledDuring } from "../lib/unhandled_during.ts";

const failure = new Error("a failure on purpose");

function refused(standing: Awaited<ReturnType<typeof settledWithin>>, text: string): void {
  assertEquals(standing.state, "rejected");
  const { reason } = standing as { reason: Error };
  assertInstanceOf(reason, TypeError);
  assertStringIncludes(reason.message, text);
}

test("half of a tee ends early without waiting for the other half", async () => {
  for (const isFailing of [false, true]) {
    const [half, other] = new ReadableStream<number>({
      pull: (controller) => controller.enqueue(1),
    }).tee();
    const stage = isFailing
      ? map((): number => {
        throw failure;
      })
      : take<number>(2);
    const { writable, chunks } = keepingSink();
    const standing = await settledWithin(pipeline(half, stage, writable));
    assertEquals(standing.state, isFailing ? "rejected" : "fulfilled");
    assertEquals(chunks, isFailing ? [] : [1, 1]);
    assertEquals([half.locked, writable.locked], [false, false]);
    // The other half is not disturbed.
    const reader = other.getReader();
    assertEquals(await reader.read(), { done: false, value: 1 });
    await reader.cancel();
  }
});

test("half of a tee whose chunks a function refuses fails without waiting for the other half", async () => {
  const endless = {
    pull: (controller: ReadableStreamDefaultController) => controller.enqueue("a"),
  };
  const [half] = new ReadableStream(endless).tee();
  const refuse = (): never => {
    throw failure;
  };
  const standing = await settledWithin(pipeline(half, refuse));
  assertEquals([standing, half.locked], [{ state: "rejected", reason: failure }, false]);
  const body = () => new ReadableStream(endless).pipeThrough(new TextEncoderStream()).tee()[0];
  const runs = [
    () => toText(body(), { maxLength: 10 }),
    () => toJson(body(), { maxLength: 10 }),
    () => toBytes(body(), { maxBytes: 10 }),
  ];
  for (const run of runs) {
    assertInstanceOf((await settledWithin(run()) as { reason: unknown }).reason, RangeError);
  }
});

test("half of a tee before a pair of streams ends early without waiting for the other half", async () => {
  for (const isFailing of [false, true]) {
    const [half] = new ReadableStream<number>({
      pull: (controller) => controller.enqueue(1),
    }).tee();
    const pair = new TransformStream<number, number>({
      transform(chunk, controller) {
        if (isFailing) throw failure;
        controller.enqueue(chunk);
        controller.terminate();
      },
    });
    const { writable, chunks } = keepingSink();
    const standing = await settledWithin(pipeline(half, pair, writable));
    assertEquals(standing.state, isFailing ? "rejected" : "fulfilled");
    assertEquals(chunks, isFailing ? [] : [1]);
    assertEquals([half.locked, writable.locked], [false, false]);
  }
});

test("a pair whose readable or writable is locked is refused, and nothing is touched", async () => {
  for (const side of ["readable", "writable"] as const) {
    const pair = new TransformStream<number, number>();
    if (side === "readable") pair.readable.getReader();
    else pair.writable.getWriter();
    const source = new ReadableStream<number>({ pull: (controller) => controller.enqueue(1) });
    const { writable } = keepingSink();
    refused(await settledWithin(pipeline(source, pair, writable)), "stage 1 is a pair");
    assertEquals([source.locked, writable.locked], [false, false]);
  }
});

test("what ends behind a pair whose streams know nothing of each other ends what is before it, with the reason", async () => {
  for (const isFailing of [true, false]) {
    const reasons: unknown[] = [];
    const source = new ReadableStream<number>({
      pull: (controller) => controller.enqueue(0),
      cancel: (reason) => void reasons.push(reason),
    }, { highWaterMark: 0 });
    const pair = {
      readable: new ReadableStream<number>({
        start(controller) {
          for (const n of [1, 2, 3]) controller.enqueue(n);
        },
        cancel: (reason) => void reasons.push(reason),
      }),
      writable: new WritableStream<number>({
        write: () => turns(1),
        abort: (reason) => void reasons.push(reason),
      }),
    };
    const written: number[] = [];
    const run = pipeline(source, pair, isFailing ? {} : take<number>(1), (n: number) => {
      if (isFailing && n === 2) throw failure;
      written.push(n);
    });
    assertEquals(await errorOf(run), isFailing ? [failure] : "none");
    assertEquals([written, source.locked, pair.readable.locked], [[1], false, false]);
    // The readable side, the source, the writable side.
    const texts = reasons.map((reason) => reason === failure ? reason : `${reason}`);
    const early = "TypeError: Cannot write: a later stage has ended the stream";
    assertEquals(texts, isFailing ? [failure, failure, failure] : [early, early, early]);
  }
});

test("a source whose next gives no object fails at once, and nothing is left unhandled", async () => {
  const unhandled = await unhandledDuring(async () => {
    for (const result of [undefined, null, 5, "text"]) {
      for (const symbol of [Symbol.iterator, Symbol.asyncIterator]) {
        let calls = 0;
        const next = () => {
          if (++calls > 100) throw new Error("asked again and again");
          return symbol === Symbol.asyncIterator ? Promise.resolve(result) : result;
        };
        const source = { [symbol]: () => ({ next }) } as unknown as Iterable<number>;
        for (const stages of [[], [map((n: number) => n)]]) {
          const standing = await settledWithin(pipeline(source, ...stages as [], () => {}));
          refused(standing, "must");
        }
        assertEquals(calls, 2);
      }
    }
  });
  assertEquals(unhandled, []);
});

test("a pair that fails while it starts, and never answers its abort, holds nothing up", async () => {
  const pair = new TransformStream({
    async start(controller) {
      await undefined;
      controller.error(new Error("start"));
    },
  });
  const aborted: unknown[] = [];
  // deno-lint-ignore require-yield
  const source = (function* (): Generator<number> {
    throw new Error("source");
  })();
  const sink = new WritableStream({ abort: (reason) => void aborted.push(reason) });
  const standing = await settledWithin(pipeline(source, pair, sink));
  assertEquals(standing.state, "rejected");
  const { reason } = standing as { reason: Error };
  assertEquals([reason.message, aborted], ["source", [reason]]);
});

test("an iterator that cannot be closed when its chunks are not wanted leaves nothing unhandled", async () => {
  const endless = {
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.resolve({ done: false, value: 1 }),
      return: () => Promise.reject(new Error("cannot close")),
    }),
  };
  const unhandled = await unhandledDuring(async () => {
    await pipeline([1], flatMap(() => endless), take(2), () => {});
    await Array.fromAsync(from([1]).pipeThrough(fuse(flatMap(() => endless), take(2))));
  });
  assertEquals(unhandled, []);
});

test("a changed copy that waits for room in its flush goes on when the sink fails", async () => {
  const reason = new Error("disk full");
  const copy = { ...flatMap((n: number) => [n, n], { concurrency: 2 }) };
  const flushed: string[] = [];
  const stage = {
    ...copy,
    flush: async (controller: TransformStreamDefaultController<number>) => {
      await copy.flush!(controller);
      flushed.push("flush");
    },
  };
  const sink = new WritableStream<number>({
    write: async () => {
      await turns(2);
      throw reason;
    },
  });
  const run = pipeline([1], stage, filter<number>(() => Promise.resolve(true)), sink);
  assertEquals(await errorOf(run), [reason]);
  assertEquals(flushed, ["flush"]);
});
