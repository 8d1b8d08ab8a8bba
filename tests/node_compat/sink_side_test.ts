import { assertEquals, assertStrictEquals } from "@std/assert";
import { test } from "node:test";
import { sinkWritable } from "../../node_compat/sink_side.ts";
import { errorOf, reasons } from "./errors.ts";
import { settle } from "./virtual_clock.ts";

/** A sink whose calls are logged and, if `isHeld`, settled by hand. */
function logging(isHeld = false) {
  const log: unknown[] = [];
  const held: PromiseWithResolvers<void>[] = [];
  const answer = (): void | Promise<void> => {
    if (!isHeld) return;
    const call = Promise.withResolvers<void>();
    held.push(call);
    return call.promise;
  };
  let controller!: WritableStreamDefaultController;
  return {
    log,
    held,
    signal: () => controller.signal,
    controller: () => controller,
    sink: {
      start: (given: WritableStreamDefaultController) => void (controller = given),
      write(chunk: unknown) {
        log.push(chunk);
        return answer();
      },
      close() {
        log.push("close");
        return answer();
      },
      abort(reason: unknown) {
        log.push(["abort", reason]);
      },
    },
  };
}

test("writes one at a time, in order, then closes, whatever the mark and the burst", async () => {
  for (const highWaterMark of [0, 1, 2, 16]) {
    for (const isHeld of [false, true]) {
      const { log, held, sink, signal } = logging(isHeld);
      const stream = sinkWritable(sink, highWaterMark);
      for (let chunk = 0; chunk < 20; chunk++) stream.write(chunk);
      stream.end();
      const closed = new Promise((resolve) => stream.on("close", resolve));
      while (isHeld && !stream.closed) {
        assertEquals(held.length <= 1, true);
        held.pop()?.resolve();
        await settle();
      }
      await closed;
      assertEquals(log, [...Array(20).keys(), "close"]);
      stream.destroy();
      await settle();
      assertEquals([log.length, signal().aborted], [21, false]);
    }
  }
});

test("nothing is written or closed before start has finished, and start may fail", async () => {
  const log: unknown[] = [];
  const stream = sinkWritable({
    start: () => settle().then(() => void log.push("started")),
    write: (chunk) => void log.push(chunk),
    close: () => void log.push("close"),
  }, 1);
  stream.end(1);
  await new Promise((resolve) => stream.on("close", resolve));
  assertEquals(log, ["started", 1, "close"]);
  for (const reason of reasons) {
    for (const act of ["write", "end", "nothing"] as const) {
      const calls: unknown[] = [];
      const failing = sinkWritable({
        start: () => Promise.reject(reason),
        write: (chunk) => void calls.push(chunk),
        close: () => void calls.push("close"),
        abort: () => void calls.push("abort"),
      }, 1);
      const error = errorOf(failing);
      if (act === "write") failing.write(1);
      if (act === "end") failing.end();
      assertStrictEquals(await error, reason);
      assertEquals(calls, [], act);
    }
  }
});

test("once it has started, a write is made at once", async () => {
  const log: unknown[] = [];
  const stream = sinkWritable({ start: settle, write: (chunk) => void log.push(chunk) }, 1);
  await settle();
  await settle();
  stream.write(1);
  assertEquals(log, [1]);
  stream.destroy();
});

test("destroyed while a write runs, it aborts after that, once, with the reason; the signal at once", async () => {
  for (const reason of [new Error("enough"), undefined]) {
    for (const isFailing of [false, true]) {
      const { log, held, sink, signal } = logging(true);
      const stream = sinkWritable(sink, 4).on("error", () => {});
      stream.write(1);
      stream.write(2);
      stream.destroy(reason);
      assertEquals([log, signal().aborted], [[1], true]);
      if (reason !== undefined) assertStrictEquals(signal().reason, reason);
      await settle();
      assertEquals([log, stream.closed], [[1], false]);
      if (isFailing) held[0]!.reject("ignored");
      else held[0]!.resolve();
      await settle();
      assertEquals([log, stream.closed], [[1, ["abort", reason]], true]);
    }
  }
});

test("destroyed while it closes, it waits for that and aborts nothing", async () => {
  for (const reason of [new Error("enough"), undefined]) {
    for (const isFailing of [false, true]) {
      const { log, held, sink, signal } = logging(true);
      const stream = sinkWritable(sink, 1).on("error", () => {});
      stream.end();
      await settle();
      stream.destroy(reason);
      await settle();
      assertEquals([log, stream.closed, signal().aborted], [["close"], false, true]);
      if (isFailing) held[0]!.reject("ignored");
      else held[0]!.resolve();
      await settle();
      assertEquals([log, stream.closed, stream.errored], [["close"], true, reason ?? null]);
    }
  }
});

test("a sink that has failed is neither aborted nor closed", async () => {
  for (const reason of reasons) {
    const calls: unknown[] = [];
    const rest = {
      close: () => void calls.push("close"),
      abort: () => void calls.push("abort"),
    };
    const failing = sinkWritable({ ...rest, write: () => Promise.reject(reason) }, 1);
    const error = errorOf(failing);
    failing.write(1);
    failing.end();
    assertStrictEquals(await error, reason);
    let controller!: WritableStreamDefaultController;
    const hang = () => new Promise<never>(() => {});
    for (const write of [() => {}, hang]) {
      const start = (given: typeof controller) => void (controller = given);
      const stream = sinkWritable({ ...rest, start, write }, 1);
      const itsError = errorOf(stream);
      stream.write(1);
      await settle();
      controller.error(reason);
      controller.error("later");
      assertStrictEquals(await itsError, reason);
      await settle();
      assertEquals(stream.closed, true);
    }
    const unclosable = sinkWritable({ ...rest, close: () => Promise.reject(reason) }, 1);
    const lastError = errorOf(unclosable);
    unclosable.end();
    assertStrictEquals(await lastError, reason);
    assertEquals(calls, []);
  }
});

test("a failing abort is the error of a destroy that had none, at once or later", async () => {
  for (const reason of reasons) {
    const ways = [
      () => Promise.reject(reason),
      () => {
        throw reason;
      },
    ];
    for (const abort of ways) {
      const stream = sinkWritable({ abort }, 1);
      const error = errorOf(stream);
      stream.destroy();
      assertStrictEquals(await error, reason);
      const first = new Error("first");
      const destroyed = sinkWritable({ abort }, 1);
      const itsError = errorOf(destroyed);
      destroyed.destroy(first);
      assertStrictEquals(await itsError, first);
    }
  }
});

test("an empty sink takes everything", async () => {
  const stream = sinkWritable({}, 1);
  for (const chunk of [1, undefined, 0, ""]) stream.write(chunk);
  stream.end();
  await new Promise((resolve) => stream.on("close", resolve));
  assertEquals([stream.writableFinished, stream.errored], [true, null]);
});

test("a thenable that answers twice counts once", async () => {
  const log: unknown[] = [];
  const stream = sinkWritable({
    write: (chunk) => {
      log.push(chunk);
      return {
        then(resolve: () => void) {
          resolve();
          resolve();
        },
      } as Promise<void>;
    },
  }, 4);
  for (const chunk of [1, 2, 3]) stream.write(chunk);
  stream.end();
  await new Promise((resolve) => stream.on("close", resolve));
  assertEquals([log, stream.errored], [[1, 2, 3], null]);
});
