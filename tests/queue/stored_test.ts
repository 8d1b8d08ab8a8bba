import { map, pipeline, take } from "@hosepipe/streams";
import {
  Consumer,
  type ConsumerEvent,
  messages,
  type Output,
  perMessage,
  stored,
  type StoredOptions,
} from "@hosepipe/streams/queue";
import { virtualTime } from "@hosepipe/streams/testing";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { test } from "node:test";
import { BatchWriter } from "../../src/queue/batch_writer.ts";
import { MessageOutput } from "../../src/queue/output.ts";
import { StoreSink } from "../../src/queue/stored.ts";
import { errorOf } from "../lib/error_of.ts";
import { settledWithin } from "../lib/settled_within.ts";
import { turns } from "../lib/turns.ts";
import { until } from "../lib/until.ts";
import { withTimerCount } from "../lib/with_timer_count.ts";
import { admitAll, consumerOf, ledgerOf, MemoryQueue, numbers } from "./_memory_queue.ts";
import { withNotedTimers } from "../lib/with_noted_timers.ts";

interface Save {
  readonly values: unknown[];
  readonly signal: AbortSignal;
  readonly done: () => void;
}

/** A sink whose store writes when it is let, with `count` messages that are begun; there is room for more. */
async function sinkOf(count: number, options: Partial<Record<string, number>> = {}) {
  const { batchSize = 2, maxWaitMs = 600_000, concurrency = 1, maxInFlight = 100 } = options;
  const queue = new MemoryQueue(numbers(count));
  const ledger = ledgerOf<unknown>(queue, { maxInFlight });
  const messages = await admitAll(queue, ledger);
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

const none = () => {};

test("stored refuses bad options", () => {
  const consumer = new Consumer(new MemoryQueue());
  for (
    const [options, type, message] of [
      [{ concurrency: 0 }, RangeError, "concurrency must be a positive integer, got 0"],
      [{ batchSize: "1" }, TypeError, 'batchSize must be a positive integer, got "1"'],
      [{ maxWaitMs: -1 }, RangeError, "maxWaitMs must be a number from 0 to 2147483647, got -1"],
      [{ maxWaitMs: null }, TypeError, "maxWaitMs must be a number from 0 to 2147483647, got null"],
      [{ isOutage: 1 }, TypeError, "isOutage must be a function, got 1"],
      [{ size: 1 }, TypeError, 'unknown option "size"'],
    ] as const
  ) {
    const create = () => stored(consumer, none, options as never);
    assertThrows(create, type, `Cannot create stored: ${message}`);
  }
  assertThrows(() => stored(consumer, 1 as never), TypeError, "save must be a function, got 1");
});

/** Runs a consumer until its queue is empty. */
async function start(
  queue: MemoryQueue,
  save: (outputs: readonly Output<string>[]) => unknown,
  options: StoredOptions = {},
  onEvent: (event: ConsumerEvent) => void = none,
): Promise<Consumer<string>> {
  const consumer = new Consumer(queue, { retryDelayMs: 1, onEvent });
  const running = pipeline(messages(consumer), perMessage(), stored(consumer, save, options));
  await Promise.race([running, until(() => queue.entries.size === 0)]);
  consumer.stop();
  await running;
  return consumer;
}

/** The same, in no time. */
async function run(...args: Parameters<typeof start>): Promise<void> {
  await using time = virtualTime();
  await time.run(start(...args));
}

test("batches are as large and as many at a time as they may be, one unless more are allowed", async () => {
  for (const [concurrency, most] of [[4, 4], [undefined, 1]] as const) {
    const queue = new MemoryQueue(numbers(100));
    let inFlight = 0;
    let peak = 0;
    const sizes: number[] = [];
    const save = async (outputs: readonly Output<string>[]) => {
      sizes.push(outputs.length);
      peak = Math.max(peak, ++inFlight);
      await new Promise((resolve) => setTimeout(resolve, 2));
      inFlight--;
    };
    await run(queue, save, { batchSize: 10, concurrency, maxWaitMs: 1000 });
    assertEquals([sizes, peak], [new Array(10).fill(10), most]);
  }
});

test("a batch that fails is halved until each culprit is alone, and only those fail", async () => {
  for (
    const [culprits, reason] of [[["21"], new Error("no")], [
      ["0", "1", "17", "39"],
      undefined,
    ]] as const
  ) {
    const queue = new MemoryQueue(numbers(40));
    const bad = new Set<string>(culprits);
    const saved: string[] = [];
    const save = (outputs: readonly Output<string>[]) => {
      if (outputs.some(({ value }) => bad.has(value))) throw reason;
      saved.push(...outputs.map(({ value }) => value));
    };
    await run(queue, save, { batchSize: 40 });
    assertEquals(saved.toSorted(), numbers(40).filter((value) => !bad.has(value)).toSorted());
    assertEquals(queue.dead.toSorted(), culprits.map((id) => [id, reason]));
    assertEquals(queue.failed.length, 4 * culprits.length);
  }
});

test("a store that is away is nobody's failure, however its error looks", async () => {
  const queue = new MemoryQueue(numbers(300));
  const saved: string[] = [];
  const kinds: string[] = [];
  let calls = 0;
  const save = (outputs: readonly Output<string>[]) => {
    // Away from the second write on, for as long as it takes to have tried often.
    if (++calls > 1 && calls < 1000) throw new TypeError("no store");
    saved.push(...outputs.map(({ value }) => value));
  };
  const onEvent = (event: ConsumerEvent) => kinds.push(event.kind);
  await run(queue, save, { batchSize: 20, concurrency: 3 }, onEvent);
  assertEquals([queue.failed, queue.dead], [[], []]);
  assertEquals([saved.length, new Set(saved).size], [300, 300]);
  assertEquals(kinds, ["outage", "recovery"]);
});

test("a connection that is refused is an outage, and the batch stays whole", async () => {
  const queue = new MemoryQueue(numbers(50));
  const sizes: number[] = [];
  const save = (outputs: readonly Output<string>[]) => {
    sizes.push(outputs.length);
    if (sizes.length >= 5) return;
    const cause = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
    throw new TypeError("fetch failed", { cause });
  };
  await run(queue, save, { batchSize: 50 });
  assertEquals([sizes, queue.failed], [[50, 50, 50, 50, 50], []]);
});

test("isOutage says who is to blame", async () => {
  await using time = virtualTime();
  const queue = new MemoryQueue(["a"]);
  const reason = new Error("bad row");
  let isAway = true;
  const save = () => {
    if (isAway) throw new Error("away");
    throw reason;
  };
  const isOutage = (error: unknown) => (error as Error).message === "away";
  const running = start(queue, save, { isOutage });
  await time.advance(100);
  assertEquals(queue.failed, []);
  isAway = false;
  await time.run(running);
  assertEquals([queue.failed.length, queue.dead], [4, [["0", reason]]]);
});

test("isOutage that fails says nothing, so that it is found out by trying", async () => {
  const queue = new MemoryQueue(["bad", "good"]);
  const save = (outputs: readonly Output<string>[]) => {
    if (outputs.some(({ value }) => value === "bad")) throw undefined;
  };
  await run(queue, save, { isOutage: (error) => (error as { code: string }).code === "away" });
  assertEquals([queue.acknowledged.length, queue.dead], [1, [["0", undefined]]]);
});

test("what is alone in its queue and cannot be stored waits for another to show that it is its fault", async () => {
  await using time = virtualTime();
  const queue = new MemoryQueue(["bad"]);
  const save = (outputs: readonly Output<string>[]) => {
    if (outputs.some(({ value }) => value === "bad")) throw new Error("bad");
  };
  const running = start(queue, save, { batchSize: 1 });
  await time.advance(100);
  assertEquals([queue.failed, queue.dead], [[], []]);
  await queue.send(["good"]);
  await time.run(running);
  assertEquals([queue.acknowledged.length, queue.dead.length], [1, 1]);
});

test("a pipeline that ends early stores what it has, and gives back the rest", async () => {
  const { queue, consumer } = consumerOf(numbers(100), { maxInFlight: 30 });
  const saved: string[] = [];
  await pipeline(
    messages(consumer),
    perMessage(map((body: string) => body)),
    take<Output<string>>(7),
    stored(consumer, (outputs) => void saved.push(...outputs.map(({ value }) => value))),
  );
  await consumer.close();
  assertEquals([saved.length, queue.acknowledged.length], [7, 7]);
  assertEquals([queue.leased, queue.entries.size, queue.failed], [0, 93, []]);
});

test("a stage between messages and the store that fails gives back what is leased", async () => {
  const { queue, consumer } = consumerOf(numbers(50));
  const reason = new Error("broken");
  const run = pipeline(
    messages(consumer),
    perMessage(),
    map((output: Output<unknown>) => {
      if (output.value === "20") throw reason;
      return output;
    }),
    stored(consumer, none, { batchSize: 5 }),
  );
  assertEquals(await assertRejects(() => run), reason);
  await consumer.close();
  assertEquals([queue.leased, queue.failed, queue.dead], [0, [], []]);
  assert(queue.acknowledged.length <= 20);
  assertEquals(queue.entries.size + queue.acknowledged.length, 50);
});

test("native streams take the same parts", async () => {
  await using time = virtualTime();
  const { queue, consumer } = consumerOf(numbers(40), { maxInFlight: 8 });
  const running = messages(consumer)
    .pipeThrough(new TransformStream(perMessage(map((body: string) => body.length))))
    .pipeTo(stored(consumer, none, { batchSize: 3 }));
  await time.run(until(() => queue.entries.size === 0));
  consumer.stop();
  await time.run(running);
  assertEquals([queue.acknowledged.length, queue.leased], [40, 0]);
  assert(queue.peak <= 8);
});

for (const end of ["close", "abort"] as const) {
  test(`the ${end} of a store stops its consumer, also where the messages are read apart`, async () => {
    const { queue, consumer } = consumerOf(numbers(3));
    const reader = messages(consumer).getReader();
    await stored(consumer, none).getWriter()[end]();
    assertEquals(await reader.read(), { done: true, value: undefined });
    assertEquals([queue.asked, queue.leased], [[], 0]);
  });
}

interface Entry {
  readonly deliveries?: number;
  readonly failures?: number;
}

type SaveValues = (values: readonly unknown[]) => unknown;

/** A writer of messages that are begun, each with its own id as its only output, and what it reports. */
async function writerOf(
  entries: Record<string, Entry>,
  save: SaveValues,
  { concurrency = 9, isOutage }: {
    readonly concurrency?: number;
    readonly isOutage?: (reason: unknown) => boolean | undefined;
  } = {},
) {
  const queue = new MemoryQueue();
  for (const [id, { failures = 0 }] of Object.entries(entries)) {
    queue.add(id, id, failures, failures);
  }
  const events: string[] = [];
  const ledger = ledgerOf<unknown>(queue, {
    maxFailures: 9,
    onEvent: (event) =>
      events.push("message" in event ? `${event.kind} ${event.message.id}` : event.kind),
  });
  const outputs = new Map<string, MessageOutput>();
  for (const message of await admitAll(queue, ledger)) {
    ledger.begin(message);
    outputs.set(message.id, new MessageOutput(message, message.id));
    ledger.complete(message);
  }
  const calls: string[] = [];
  const writer = new BatchWriter(ledger, async (outputs) => {
    const values = outputs.map(({ value }) => value);
    calls.push(values.join());
    await save(values);
  }, { concurrency, isOutage });
  const write = (...ids: string[]) => writer.write(ids.map((id) => outputs.get(id)!));
  return { queue, ledger, writer, calls, events, write };
}

interface Held {
  /** Lets all go on that waits for no timer. */
  steps(): Promise<void>;
  /** Ends the pause that was begun as the i-th. */
  fire(index?: number): Promise<void>;
  pauses(): number;
}

/** Lets no pause end by itself while `use` runs. */
async function withHeldTimers(use: (held: Held) => Promise<void>): Promise<void> {
  const callbacks: (() => void)[] = [];
  const steps = async () => {
    for (let step = 0; step < 40; step++) await Promise.resolve();
  };
  const fire = async (index?: number) => {
    if (index !== undefined) callbacks[index]!();
    await steps();
  };
  const held = { steps, fire, pauses: () => callbacks.length };
  // Those of the queue set none of a length.
  await withNotedTimers(
    () => use(held),
    (set, callback, ms) => ms === 0 ? set(callback, 0) : callbacks.push(callback),
  );
}

const refused = new Error("refused");

/** A store that refuses these, and takes all others. */
const refusing = (...ids: string[]): SaveValues => (values) => {
  if (values.some((value) => ids.includes(value as string))) throw refused;
};

test("what fails while something else is stored is tried again at once, and fails if that is so again", async () => {
  const gates = new Map<unknown, PromiseWithResolvers<void>>();
  const { write, calls, events } = await writerOf(
    { good: {}, other: {}, bad: {} },
    async ([value]) => {
      gates.set(value, Promise.withResolvers());
      await gates.get(value)!.promise;
    },
  );
  await withHeldTimers(async ({ steps, pauses }) => {
    void write("good");
    void write("bad");
    await steps();
    gates.get("good")!.resolve();
    await steps();
    gates.get("bad")!.reject(refused);
    await steps();
    assertEquals([calls, pauses(), events], [["good", "bad", "bad"], 0, []]);
    void write("other");
    await steps();
    gates.get("other")!.resolve();
    await steps();
    // That was begun after the second try, which may have been too early.
    gates.get("bad")!.reject(refused);
    await steps();
    assertEquals([calls.slice(3), pauses(), events], [["other", "bad"], 0, ["outage"]]);
    gates.get("bad")!.reject(refused);
    await steps();
    assertEquals([calls.length, pauses(), events], [5, 0, ["outage", "failure bad"]]);
  });
});

test("a message that has failed before is to blame at its third try, though nothing is stored", async () => {
  const entries = { bad: { failures: 1 }, worse: { failures: 2 } };
  const { write, calls, events, writer } = await writerOf(entries, refusing("bad", "worse"));
  await withHeldTimers(async ({ fire, pauses }) => {
    void write("worse");
    const written = write("bad");
    await fire();
    assertEquals([calls, pauses(), events], [["worse", "bad"], 2, []]);
    await fire(1);
    assertEquals([calls.slice(2), pauses(), events], [["bad"], 3, ["outage"]]);
    await fire(2);
    await written;
    // The other has waited meanwhile: it is no better, and says nothing about the store.
    assertEquals([calls.slice(3), pauses(), events], [["bad"], 3, ["outage", "failure bad"]]);
    await fire(0);
    await fire(3);
    await writer.idle();
    assertEquals(events.slice(2), ["failure worse"]);
  });
});

test("while a message that never failed waits for the store, no other is to blame", async () => {
  let isOut = true;
  const { write, calls, events, writer } = await writerOf({ new: {}, bad: { failures: 1 } }, () => {
    if (isOut) throw refused;
  });
  await withHeldTimers(async ({ fire }) => {
    void write("new");
    void write("bad");
    await fire();
    for (let index = 1; index < 9; index++) await fire(index);
    assertEquals([calls.length, events], [10, ["outage"]]);
    isOut = false;
    await fire(0);
    await fire(9);
    await writer.idle();
    assertEquals(events, ["outage", "recovery"]);
  });
});

test("a batch that waits leaves its place to others, and comes before those that are new", async () => {
  const gates: PromiseWithResolvers<void>[] = [];
  const { write, calls, writer } = await writerOf({ a: {}, b: {}, c: {} }, async () => {
    gates.push(Promise.withResolvers());
    await gates.at(-1)!.promise;
  }, { concurrency: 1, isOutage: () => true });
  let frees = 0;
  writer.onFree = () => frees++;
  await withHeldTimers(async ({ fire, steps }) => {
    void write("a");
    await steps();
    assertEquals([writer.isFree, frees], [false, 0]);
    gates[0]!.reject(refused);
    await steps();
    assertEquals([writer.isFree, frees], [true, 1]);
    void write("b");
    await fire(0);
    assertEquals([calls, writer.isFree], [["a", "b"], false]);
    gates[1]!.resolve();
    await steps();
    // It has a place before it is asked whether there is one.
    assertEquals([calls, writer.isFree, frees], [["a", "b", "a"], false, 2]);
    gates[2]!.resolve();
    await writer.idle();
    assertEquals([writer.isFree, frees], [true, 3]);
  });
});
