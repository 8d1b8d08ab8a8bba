import { EventEmitter } from "node:events";
import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { fromEvents } from "../../src/sources/from_events.ts";
import { drain, reasons } from "./_sources.ts";
import { countedSignal } from "../lib/counted_signal.ts";
import { turns } from "../lib/turns.ts";

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

test("a signal that aborts while a read is pending fails that read", async () => {
  const target = new CountedTarget();
  const { signal, abort } = countedSignal();
  const drained = drain(fromEvents(target, "message", { signal }));
  await turns();
  abort("enough");
  assertEquals(await drained, { chunks: [], error: ["enough"] });
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

test("fromEvents() drops as it is asked to", async () => {
  for (const [overflow, expected] of [["dropOldest", [3, 4]], ["dropNewest", [0, 1]]] as const) {
    const target = new CountedTarget();
    const events = fromEvents<CustomEvent>(target, "message", {
      highWaterMark: 2,
      overflow,
      until: "close",
    });
    for (let n = 0; n < 5; n++) target.send(n);
    target.end();
    const details = (await Array.fromAsync(events)).map(({ detail }) => detail);
    assertEquals(details, expected as unknown as number[]);
  }
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
