import { test } from "node:test";
import { EventEmitter } from "node:events";
import { assertEquals, assertThrows } from "@std/assert";
import { channel, fromEvents } from "@hosepipe/streams";
import { countedSignal } from "../lib/counted_signal.ts";
import { errorOf } from "../lib/error_of.ts";
import { stateOf } from "../lib/settled_within.ts";
import { turns } from "../lib/turns.ts";
import { drain, reasons } from "./_sources.ts";

test("send() waits for room from the high-water mark on, in order, and loses nothing", async () => {
  const { readable, send, close } = channel<number>({ highWaterMark: 2 });
  const sends = [0, 1, 2, 3].map((n) => send(n));
  const states = () => Promise.all(sends.map(stateOf));
  assertEquals(await states(), ["fulfilled", "fulfilled", "pending", "pending"]);
  const reader = readable.getReader();
  assertEquals((await reader.read()).value, 0);
  assertEquals(await states(), ["fulfilled", "fulfilled", "fulfilled", "pending"]);
  close();
  assertEquals(await states(), ["fulfilled", "fulfilled", "fulfilled", "pending"]);
  for (const n of [1, 2, 3]) assertEquals((await reader.read()).value, n);
  assertEquals(await states(), new Array(4).fill("fulfilled"));
  assertEquals((await reader.read()).done, true);
});

test("a channel() of highWaterMark 0 hands over from hand to hand", async () => {
  const { readable, send } = channel<string>({ highWaterMark: 0 });
  const first = send("a");
  assertEquals(await stateOf(first), "pending");
  const reader = readable.getReader();
  assertEquals((await reader.read()).value, "a");
  assertEquals(await stateOf(first), "fulfilled");
  const read = reader.read();
  await turns();
  assertEquals(await stateOf(send("b")), "fulfilled");
  assertEquals((await read).value, "b");
});

test("the default mark is 16 chunks", async () => {
  const { send } = channel<number>();
  for (let n = 0; n < 16; n++) assertEquals(await stateOf(send(n)), "fulfilled");
  assertEquals(await stateOf(send(16)), "pending");
});

test("ready is fulfilled while there is room, and when there is again", async () => {
  const shared = channel<number>({ highWaterMark: 1 });
  assertEquals(await stateOf(shared.ready), "fulfilled");
  shared.send(1);
  const { ready } = shared;
  assertEquals(await stateOf(ready), "pending");
  const reader = shared.readable.getReader();
  await reader.read();
  assertEquals(await stateOf(ready), "fulfilled");
  const direct = channel<number>({ highWaterMark: 0 });
  const waiting = direct.ready;
  assertEquals(await stateOf(waiting), "pending");
  direct.readable.getReader().read();
  assertEquals(await stateOf(waiting), "fulfilled");
});

test("size counts what is queued, fractions too", async () => {
  const { readable, send } = channel<string>({ highWaterMark: 4, size: (text) => text.length });
  assertEquals(await stateOf(send("abc")), "fulfilled");
  assertEquals(await stateOf(send("defgh")), "fulfilled");
  const third = send("i");
  assertEquals(await stateOf(third), "pending");
  const reader = readable.getReader();
  await reader.read();
  assertEquals(await stateOf(third), "pending");
  await reader.read();
  assertEquals(await stateOf(third), "fulfilled");
  const fractions = channel<number>({ highWaterMark: 0.25, size: () => 0.1 });
  for (let n = 0; n < 3; n++) assertEquals(await stateOf(fractions.send(n)), "fulfilled");
  assertEquals(await stateOf(fractions.send(3)), "pending");
  const emptied = channel<number>({ highWaterMark: 0.3, size: (n) => n });
  for (const size of [0.1, 0.2, 0.3]) emptied.send(size);
  const rest = emptied.readable.getReader();
  for (const _ of [0.1, 0.2, 0.3]) await rest.read();
  assertEquals(await stateOf(emptied.ready), "fulfilled");
});

test("a size that throws or is no size is the sender's error, and the stream goes on", async () => {
  for (const [size, message] of [[-1, "-1"], [NaN, "NaN"], ["1", "1"], [Infinity, "Infinity"]]) {
    const { readable, send, close } = channel<number>({ size: (n) => n === 0 ? 1 : size as never });
    send(0);
    assertEquals(
      String((await errorOf(send(1)))[0]),
      `RangeError: Cannot send: size must give a non-negative number, got ${message}`,
    );
    close();
    assertEquals(await Array.fromAsync(readable), [0]);
  }
  const { send } = channel<number>({
    size: () => {
      throw undefined;
    },
  });
  assertEquals(await errorOf(send(1)), [undefined]);
});

test("a full channel() fails, drops the oldest or drops the newest, and counts what it drops", async () => {
  const outcomes = [];
  for (const overflow of ["fail", "dropOldest", "dropNewest"] as const) {
    const sent = channel<number>({ highWaterMark: 2, overflow });
    const states = [];
    for (let n = 0; n < 5; n++) states.push(await stateOf(sent.send(n)));
    sent.close();
    const { chunks, error } = await drain(sent.readable);
    outcomes.push([chunks, String(error === "none" ? error : error[0]), sent.dropped, states]);
  }
  const full = "RangeError: Cannot send: the queue is full, its highWaterMark is 2";
  const [good, bad] = ["fulfilled", "rejected"];
  assertEquals(outcomes, [
    [[0, 1], full, 0, [good, good, bad, bad, bad]],
    [[3, 4], "none", 3, [good, good, good, good, good]],
    [[0, 1], "none", 3, [good, good, good, good, good]],
  ]);
});

test("without a mark both droppers drop all that nothing waits for", async () => {
  for (const overflow of ["dropOldest", "dropNewest"] as const) {
    const sent = channel<number>({ highWaterMark: 0, overflow });
    sent.send(1);
    const read = sent.readable.getReader().read();
    await turns();
    sent.send(2);
    sent.send(3);
    assertEquals([(await read).value, sent.dropped], [2, 2]);
  }
});

for (const reason of reasons) {
  test(`fail(${reason}) fails the stream after what was sent`, async () => {
    const sent = channel<number>({ highWaterMark: 1 });
    sent.send(1);
    const waiting = sent.send(2);
    sent.fail(reason);
    sent.fail("a second reason");
    sent.close();
    assertEquals(await errorOf(sent.send(3)), [reason]);
    assertEquals(await errorOf(sent.ready), [reason]);
    assertEquals(await drain(sent.readable), { chunks: [1, 2], error: [reason] });
    await waiting;
    const asked = channel();
    const read = errorOf(asked.readable.getReader().read());
    await turns();
    asked.fail(reason);
    assertEquals(await read, [reason]);
  });

  test(`cancelling with ${reason} rejects the sends that wait, later ones, and ready`, async () => {
    const sent = channel<number>({ highWaterMark: 1 });
    sent.send(1);
    const waiting = errorOf(sent.send(2));
    const ready = errorOf(sent.ready);
    await sent.readable.cancel(reason);
    assertEquals([await waiting, await ready], [[reason], [reason]]);
    assertEquals(await errorOf(sent.send(3)), [reason]);
    assertEquals(await errorOf(sent.ready), [reason]);
    sent.close();
    sent.fail(1);
  });
}

test("a pending read ends when the channel() is closed, and so does one after", async () => {
  const { readable, close } = channel();
  const reader = readable.getReader();
  const read = reader.read();
  await turns();
  close();
  close();
  assertEquals([(await read).done, (await reader.read()).done], [true, true]);
});

test("send() after close() is a mistake, and says so", async () => {
  const sent = channel<number>();
  const { ready } = sent;
  sent.close();
  await ready;
  const closed = "TypeError: Cannot send: the channel is closed";
  assertEquals(String((await errorOf(sent.send(1)))[0]), closed);
  assertEquals(String((await errorOf(sent.ready))[0]), closed);
  assertEquals(await Array.fromAsync(sent.readable), []);
});

test("sends that nothing awaits do no harm when the channel is cancelled or fails", async () => {
  for (const end of ["cancel", "fail"] as const) {
    const { readable, send, fail } = channel<number>({ highWaterMark: 1 });
    for (const n of [0, 1, 2]) send(n);
    await turns(1);
    if (end === "cancel") await readable.cancel("why");
    else fail("why");
    // An unhandled rejection would fail the test.
    await turns();
    assertEquals(await errorOf(send(3)), ["why"]);
  }
});

test("chunks of size 0 take no room, and are given in their place", async () => {
  const { readable, send, close } = channel<number>({ highWaterMark: 1, size: (n) => n });
  for (const n of [0, 1, 0, 1, 0]) send(n);
  close();
  assertEquals(await drain(readable), { chunks: [0, 1, 0, 1, 0], error: "none" });
});

test("a channel() that drops the oldest drops the last one too, if that alone is too much", async () => {
  const joined = channel<number>({ highWaterMark: 5, size: (n) => n, overflow: "dropOldest" });
  await joined.send(9);
  await joined.send(1);
  await joined.send(2);
  joined.close();
  assertEquals(await drain(joined.readable), { chunks: [1, 2], error: "none" });
});

/** An `EventTarget` that counts its listeners. */
class CountedTarget extends EventTarget {
  readonly #listeners = new Set<unknown>();

  get listeners(): number {
    return this.#listeners.size;
  }

  override addEventListener(...args: Parameters<EventTarget["addEventListener"]>): void {
    this.#listeners.add(args[1]);
    super.addEventListener(...args);
  }

  override removeEventListener(...args: Parameters<EventTarget["removeEventListener"]>): void {
    this.#listeners.delete(args[1]);
    super.removeEventListener(...args);
  }

  send(detail: unknown): void {
    this.dispatchEvent(new CustomEvent("message", { detail }));
  }

  end(): void {
    this.dispatchEvent(new Event("close"));
  }
}

function countListeners(emitter: EventEmitter): number {
  return emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0);
}

test("fromEvents() gives the events of an EventTarget from the call on, until the one that ends it", async () => {
  const target = new CountedTarget();
  target.send("before");
  const events = fromEvents<CustomEvent>(target, "message", { until: "close" });
  assertEquals(target.listeners, 2);
  target.send(1);
  target.send(null);
  target.end();
  target.send("after");
  assertEquals(target.listeners, 0);
  const details = (await Array.fromAsync(events)).map(({ detail }) => detail);
  assertEquals(details, [1, null]);
});

test("fromEvents() gives what an emitter's listeners are called with, as an array", async () => {
  const emitter = new EventEmitter();
  const name = Symbol("data");
  const events = fromEvents<[number, string]>(emitter, name, { until: ["end", "close"] });
  emitter.emit(name, 1, "a");
  emitter.emit(name, 2, "b");
  emitter.emit("close");
  emitter.emit("end");
  assertEquals(countListeners(emitter), 0);
  assertEquals(await Array.fromAsync(events), [[1, "a"], [2, "b"]]);
});

for (const reason of reasons) {
  test(`an emitter's error ${reason} fails fromEvents() after the events before it`, async () => {
    const emitter = new EventEmitter();
    const events = fromEvents(emitter, "data");
    emitter.emit("data", 1);
    emitter.emit("error", reason);
    assertEquals(countListeners(emitter), 0);
    assertEquals(await drain(events), { chunks: [[1]], error: [reason] });
  });

  test(`cancelling fromEvents() with ${reason} removes its listeners`, async () => {
    const [target, emitter] = [new CountedTarget(), new EventEmitter()];
    const listened = countedSignal();
    const { signal } = listened;
    await fromEvents(target, "message", { until: "close", signal }).cancel(reason);
    await fromEvents(emitter, "data", { until: "end", signal }).cancel(reason);
    assertEquals([target.listeners, countListeners(emitter), listened.listeners()], [0, 0, 0]);
  });
}

test("errors that are asked for, or that end it, are events of fromEvents()", async () => {
  const emitter = new EventEmitter();
  const errors = fromEvents(emitter, "error", { until: "end" });
  const data = fromEvents(emitter, "data", { until: "error" });
  emitter.emit("error", 1);
  emitter.emit("end");
  assertEquals(await Array.fromAsync(errors), [[1]]);
  assertEquals(await Array.fromAsync(data), []);
});

test("a signal that aborts fails fromEvents() at once, and no listener stays", async () => {
  const target = new CountedTarget();
  const listened = countedSignal();
  const events = fromEvents(target, "message", { signal: listened.signal });
  target.send(1);
  assertEquals([target.listeners, listened.listeners()], [1, 1]);
  listened.abort(null);
  assertEquals([target.listeners, listened.listeners()], [0, 0]);
  assertEquals(await drain(events), { chunks: [], error: [null] });
  const late = fromEvents(target, "message", { signal: listened.signal });
  assertEquals([target.listeners, listened.listeners()], [0, 0]);
  assertEquals(await drain(late), { chunks: [], error: [null] });
});

test("events beyond 256 fail fromEvents(), after those before, and no listener stays", async () => {
  const target = new CountedTarget();
  const listened = countedSignal();
  const events = fromEvents<CustomEvent>(target, "message", { signal: listened.signal });
  for (let n = 0; n < 300; n++) target.send(n);
  assertEquals([target.listeners, listened.listeners()], [0, 0]);
  const { chunks, error } = await drain(events);
  assertEquals(chunks.map(({ detail }) => detail), Array.from({ length: 256 }, (_, n) => n));
  assertEquals(
    String(error[0]),
    "RangeError: Cannot take event: the queue is full, its highWaterMark is 256",
  );
});

test("a size that throws fails fromEvents(), and no listener stays", async () => {
  const target = new CountedTarget();
  const size = () => {
    throw undefined;
  };
  const events = fromEvents(target, "message", { size });
  target.send(1);
  assertEquals(await drain(events), { chunks: [], error: [undefined] });
  assertEquals(target.listeners, 0);
});

test("fromEvents() ends a read that is pending, and takes an AbortSignal for a target", async () => {
  const controller = new AbortController();
  const events = fromEvents(controller.signal, "abort", { until: "abort" });
  const drained = drain(events);
  await turns();
  controller.abort();
  const { chunks, error } = await drained;
  assertEquals([chunks.length, error], [1, "none"]);
});

test("fromEvents() takes a function that is an emitter or a target", async () => {
  const emitter = new EventEmitter();
  const app = Object.assign(() => {}, {
    on: emitter.on.bind(emitter),
    off: emitter.off.bind(emitter),
  });
  const reader = fromEvents(app as never, "a").getReader();
  const read = reader.read();
  emitter.emit("a", 1);
  assertEquals((await read).value, [1]);
  await reader.cancel();
  assertEquals(emitter.listenerCount("a"), 0);
});

test("fromEvents() leaves no listener where the target refuses one of them", () => {
  const listeners = new Set<unknown>();
  const emitter = {
    on(name: string, listener: unknown) {
      if (name === "end") throw new Error("no more listeners");
      listeners.add(listener);
    },
    off: (_name: string, listener: unknown) => void listeners.delete(listener),
  };
  assertThrows(() => fromEvents(emitter, "data", { until: "end" }), Error, "no more listeners");
  assertEquals(listeners.size, 0);
});
