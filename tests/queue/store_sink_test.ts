import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { BatchWriter } from "../../src/queue/batch_writer.ts";
import { Ledger } from "../../src/queue/ledger.ts";
import { MessageOutput } from "../../src/queue/output.ts";
import { StoreSink } from "../../src/queue/stored.ts";
import { errorOf } from "../lib/error_of.ts";
import { settledWithin } from "../lib/settled_within.ts";
import { turns } from "../lib/turns.ts";
import { withTimerCount } from "../lib/with_timer_count.ts";
import { MemoryQueue, numbers } from "./_memory_queue.ts";
import { until } from "../lib/until.ts";

interface Save {
  readonly values: unknown[];
  readonly signal: AbortSignal;
  readonly done: () => void;
}

/** A sink whose store writes when it is let, with `count` messages that are begun; there is room for more. */
async function sinkOf(count: number, options: Partial<Record<string, number>> = {}) {
  const { batchSize = 2, maxWaitMs = 600_000, concurrency = 1, maxInFlight = 100 } = options;
  const queue = new MemoryQueue(numbers(count));
  const settings = {
    ...{ maxInFlight, leaseMs: 30_000, drainMs: 10_000, maxFailures: 5, retryDelayMs: 1 },
    ...{ maxInFlightBytes: 1_000_000, maxSuspicions: 5 },
  };
  const ledger = new Ledger<unknown>(queue, { ...settings, onEvent: undefined });
  const { signal } = new AbortController();
  const deliveries = await queue.receive(count, { waitMs: 0, signal });
  const messages = deliveries.map((delivery) => ledger.admit(delivery));
  for (const message of messages) ledger.begin(message);
  const saves: Save[] = [];
  const writer = new BatchWriter(ledger, (outputs, { signal }) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    saves.push({ values: outputs.map(({ value }) => value), signal, done: resolve });
    return promise;
  }, { concurrency, isOutage: undefined });
  let stops = 0;
  const sink = new StoreSink(ledger, writer, { batchSize, maxWaitMs, stop: () => stops++ });
  const abort = new AbortController();
  const errors: unknown[] = [];
  sink.start({ signal: abort.signal, error: (reason: unknown) => errors.push(reason) } as never);
  const output = (index: number, value: unknown) => new MessageOutput(messages[index]!, value);
  const values = () => saves.map(({ values }) => values);
  /** Lets all writes succeed from now on. */
  const flow = async (until: Promise<unknown>) => {
    let isOver = false;
    until.finally(() => isOver = true).catch(() => {});
    while (!isOver) {
      for (const { done } of saves) done();
      await turns(1);
    }
  };
  return {
    queue,
    ledger,
    messages,
    saves,
    values,
    sink,
    abort,
    errors,
    output,
    flow,
    stops: () => stops,
  };
}

test("an output waits until its batch is full, and the next only while the store is busy and a batch waits", () =>
  withTimerCount(async (pending) => {
    const { sink, output, values, saves, ledger, messages, flow } = await sinkOf(1);
    const write = (value: string) => sink.write(output(0, value));
    assertEquals([write("a"), pending(), values()], [undefined, 1, []]);
    assertEquals([write("b"), pending(), values()], [undefined, 0, [["a", "b"]]]);
    assertEquals([write("c"), pending()], [undefined, 1]);
    const room = write("d") as Promise<void>;
    assertEquals((await settledWithin(room, 3)).state, "pending");
    saves[0]!.done();
    await room;
    assertEquals([values(), pending()], [[["a", "b"], ["c", "d"]], 0]);
    ledger.complete(messages[0]!);
    const closed = sink.close();
    await flow(closed);
    await closed;
    assertEquals(pending(), 0);
  }));

test("what fills no batch is written once its first output has waited long enough", async () => {
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const timers: [callback: () => void, ms: number][] = [];
  const { sink, output, values, saves } = await sinkOf(1, {
    batchSize: 3,
    maxWaitMs: 77,
    concurrency: 3,
  });
  Object.assign(globalThis, {
    setTimeout: (callback: () => void, ms: number) => timers.push([callback, ms]),
    clearTimeout: () => {},
  });
  try {
    sink.write(output(0, "a"));
    sink.write(output(0, "b"));
    assertEquals(timers.map(([, ms]) => ms), [77]);
    timers[0]![0]();
    assertEquals([values(), saves.length], [[["a", "b"]], 1]);
    sink.write(output(0, "c"));
    assertEquals([values().length, timers.map(([, ms]) => ms)], [1, [77, 77]], "it waits again");
    timers[1]![0]();
    assertEquals(values(), [["a", "b"], ["c"]]);
  } finally {
    Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
  }
});

test("what is due while the store is busy is written as soon as it is not", async () => {
  const { sink, output, values, saves } = await sinkOf(1, { batchSize: 2, maxWaitMs: 1 });
  sink.write(output(0, "a"));
  sink.write(output(0, "b"));
  sink.write(output(0, "c"));
  await turns(5);
  assertEquals(values(), [["a", "b"]]);
  saves[0]!.done();
  await until(() => saves.length === 2);
  assertEquals(values(), [["a", "b"], ["c"]]);
});

test("nobody waits for a batch that cannot become full", () =>
  withTimerCount(async (pending) => {
    const { sink, output, values, ledger, messages } = await sinkOf(2, {
      maxInFlight: 2,
      batchSize: 9,
    });
    sink.write(output(0, "a"));
    ledger.complete(messages[0]!);
    assertEquals([values(), pending()], [[], 1], "another may still give something");
    sink.write(output(1, "b"));
    ledger.complete(messages[1]!);
    assertEquals([values(), pending()], [[["a", "b"]], 0]);

    const late = await sinkOf(1, { maxInFlight: 1, batchSize: 9 });
    const last = late.output(0, "a");
    late.ledger.complete(late.messages[0]!);
    late.sink.write(last);
    assertEquals(late.values(), [["a"]]);
  }));

test("another consumer's output and what is none stop the consumer, and all is given back", async () => {
  const other = await sinkOf(1);
  for (const chunk of [other.output(0, "a"), { key: "0/0" }, undefined]) {
    const { sink, queue, ledger, stops } = await sinkOf(3);
    assertThrows(() => sink.write(chunk), TypeError, "chunk must be an output of this consumer");
    assertEquals(stops(), 1);
    await ledger.whenSettled();
    assertEquals(queue.nacked, ["0", "1", "2"]);
  }
});

test("an output of a message that has failed meanwhile is not stored", async () => {
  const { sink, output, values, ledger, messages } = await sinkOf(2);
  const late = output(0, "late");
  ledger.fail(messages[0]!, "no");
  assertEquals(sink.write(late), undefined);
  assertEquals(messages[0]!.arrived, 0);
  sink.write(output(1, "a"));
  sink.write(output(1, "b"));
  assertEquals([values(), messages[1]!.arrived], [[["a", "b"]], 2]);
});

test("close writes what is there, and waits until the queue knows of it", async () => {
  const { sink, output, values, saves, ledger, messages, queue, stops } = await sinkOf(2);
  const { ack } = queue;
  const gate = Promise.withResolvers<void>();
  queue.ack = async (receipts) => {
    await gate.promise;
    await ack.call(queue, receipts);
  };
  sink.write(output(0, "a"));
  ledger.complete(messages[0]!);
  const closed = sink.close();
  assertEquals(stops(), 1);
  assertEquals(values(), [["a"]]);
  assertEquals((await settledWithin(closed, 5)).state, "pending", "it is not stored");
  // Others need not wait for the store.
  await until(() => queue.nacked.length === 1);
  saves[0]!.done();
  assertEquals((await settledWithin(closed, 5)).state, "pending", "the queue does not know of it");
  gate.resolve();
  await closed;
  // What gives no more, since its stages were cut off, comes again.
  assertEquals([queue.acknowledged, queue.nacked, queue.leased], [["0"], ["1"], 0]);
});

test("abort writes the messages that are there as a whole, in full batches, and gives back the others", async () => {
  const { sink, output, values, saves, ledger, messages, queue, flow } = await sinkOf(5);
  sink.write(output(4, "x"));
  sink.write(output(4, "y"));
  assertEquals(values(), [["x", "y"]]);
  // The store is busy: these wait. 0 and 2 are whole, 1 is not complete, of 3 one output is on its way.
  sink.write(output(1, "1a"));
  sink.write(output(0, "0a"));
  sink.write(output(3, "3a"));
  sink.write(output(2, "2a"));
  output(3, "3b");
  for (const index of [0, 2, 3]) ledger.complete(messages[index]!);
  const aborted = sink.abort();
  saves[0]!.done();
  await flow(aborted);
  await aborted;
  assertEquals(values(), [["x", "y"], ["0a", "2a"]]);
  assertEquals(queue.acknowledged.toSorted(), ["0", "2"]);
  assertEquals([queue.nacked.toSorted(), queue.leased], [["1", "3", "4"], 0]);
});

test("when the time is over the sink fails with the reason, and whoever waits for room goes on", () =>
  withTimerCount(async (pending) => {
    const { sink, output, ledger, errors } = await sinkOf(1);
    for (const value of ["a", "b", "c"]) sink.write(output(0, value));
    assertEquals(pending(), 1);
    const room = sink.write(output(0, "d")) as Promise<void>;
    const closed = sink.close();
    assertEquals((await settledWithin(closed, 5)).state, "pending");
    ledger.onAbandon!("over");
    await room;
    assertEquals(errors, ["over"]);
    assertEquals(await errorOf(closed), ["over"]);
    // What the queue is asked has an answer of its own.
    await turns(3);
    assertEquals(pending(), 0);
    assertEquals(sink.write(output(0, "e")), undefined, "there is nothing to wait for");
  }));

test("whoever waits for room goes on when the stream is aborted", async () => {
  const { sink, output, abort } = await sinkOf(1);
  for (const value of ["a", "b", "c"]) sink.write(output(0, value));
  const room = sink.write(output(0, "d")) as Promise<void>;
  assertEquals((await settledWithin(room, 3)).state, "pending");
  abort.abort();
  await room;
});
