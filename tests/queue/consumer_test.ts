import v8 from "node:v8";
import { map, pipeline } from "@hosepipe/streams";
import {
  Consumer,
  messages,
  type Output,
  perMessage,
  stored,
  traceSave,
} from "@hosepipe/streams/queue";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { test } from "node:test";
import { defaultBytes } from "../../src/queue/consumer.ts";
import { countedSignal } from "../lib/counted_signal.ts";
import { turns } from "../lib/turns.ts";
import { until } from "../lib/until.ts";
import { withNotedTimers } from "../lib/with_noted_timers.ts";
import { withTimerCount } from "../lib/with_timer_count.ts";
import { consumerOf, holdReceived, MemoryQueue, numbers, workThrough } from "./_memory_queue.ts";
import type { SpanContext } from "@opentelemetry/api";
import { tracerOf } from "../lib/tracer_of.ts";

/** No test waits for so long: what happens, happens before. */
const never = 600_000;

test("nothing is asked for before a message is read", async () => {
  const { queue, consumer } = consumerOf(numbers(3));
  const stream = messages(consumer);
  await turns(3);
  assertEquals(queue.asked, []);
  const reader = stream.getReader();
  const { value } = await reader.read();
  assertEquals([value?.id, value?.body, value?.deliveries, value?.failures], ["0", "0", 1, 0]);
  await reader.cancel();
  await consumer.close();
});

test("a reader that cancels, with no store behind it, gives back what it has read, too", async () => {
  const { queue, consumer } = consumerOf(numbers(5), { drainMs: never });
  const reader = messages(consumer).getReader();
  await reader.read();
  await reader.read();
  assertEquals(queue.leased, 5);
  await reader.cancel("enough");
  await consumer.close();
  assertEquals([queue.leased, queue.nacked.toSorted()], [0, numbers(5)]);
  assertEquals([...queue.entries.values()].map(({ deliveries }) => deliveries), [0, 0, 0, 0, 0]);
});

test("a reader that cancels leaves what it has read to the store, if there is one", async () => {
  const { queue, consumer } = consumerOf(numbers(5), { drainMs: never });
  const store = stored(consumer, none);
  const reader = messages(consumer).getReader();
  await reader.read();
  await reader.cancel();
  await until(() => queue.nacked.length === 4);
  await turns(3);
  assertEquals([queue.nacked, queue.leased], [["1", "2", "3", "4"], 1]);
  await store.abort();
  await consumer.close();
  assertEquals([queue.leased, queue.entries.size], [0, 5]);
});

test("a stop ends the stream, for a read that waits and for those after it", async () => {
  const { queue, consumer } = consumerOf(["a"]);
  const reader = messages(consumer).getReader();
  assertEquals((await reader.read()).value?.body, "a");
  const waiting = reader.read();
  await until(() => queue.asked.length === 2);
  consumer.stop();
  assertEquals(await waiting, { done: true, value: undefined });
  assertEquals(await reader.read(), { done: true, value: undefined });
  await reader.closed;
});

test("a message that arrives after the cancel is given back", async () => {
  const queue = new MemoryQueue(numbers(2));
  const gate = holdReceived(queue);
  const consumer = new Consumer(queue, { drainMs: never });
  const reader = messages(consumer).getReader();
  const waiting = reader.read();
  await until(() => queue.leased === 2);
  const cancelled = reader.cancel();
  gate.resolve();
  await cancelled;
  assertEquals((await waiting).done, true);
  await consumer.close();
  assertEquals([queue.leased, queue.nacked], [0, ["0", "1"]]);
});

const mebibyte = 2 ** 20;

test("a quarter of the heap may be in flight, 64 MiB at most, and where nothing is known of it", () => {
  assertEquals(defaultBytes(100 * mebibyte), 25 * mebibyte);
  assertEquals(defaultBytes(4_096 * mebibyte), 64 * mebibyte);
  assertEquals(defaultBytes(0), 64 * mebibyte);
  const here = defaultBytes();
  assert(here > mebibyte && here <= 64 * mebibyte, `${here}`);
});

test("the runtime is asked for its limit once: one of them looks at the whole heap for it", () => {
  const { getHeapStatistics } = v8;
  const known = defaultBytes();
  v8.getHeapStatistics = () => {
    throw new Error("It was asked again");
  };
  try {
    assertEquals(defaultBytes(), known);
  } finally {
    v8.getHeapStatistics = getHeapStatistics;
  }
});

const none = () => {};
const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const asNumber = () => map((body: string) => Number(body));

test("Consumer refuses bad options", () => {
  const queue = new MemoryQueue();
  for (
    const [options, type, message] of [
      [{ maxInFlight: 0 }, RangeError, "maxInFlight must be a positive integer, got 0"],
      [{ maxInFlight: "1" }, TypeError, 'maxInFlight must be a positive integer, got "1"'],
      [
        { maxInFlightBytes: 0 },
        RangeError,
        "maxInFlightBytes must be a positive integer, got 0",
      ],
      [
        { maxInFlightBytes: "1" },
        TypeError,
        'maxInFlightBytes must be a positive integer, got "1"',
      ],
      [{ maxSuspicions: 0 }, RangeError, "maxSuspicions must be a positive integer, got 0"],
      [{ leaseMs: 0 }, RangeError, "leaseMs must be a positive integer, got 0"],
      [{ leaseMs: 2 ** 31 }, RangeError, "leaseMs must be at most 2147483647, got 2147483648"],
      [{ drainMs: -1 }, RangeError, "drainMs must be a non-negative integer, got -1"],
      [{ maxFailures: 1.5 }, RangeError, "maxFailures must be a positive integer, got 1.5"],
      [{ retryDelayMs: NaN }, RangeError, "retryDelayMs must be a non-negative integer, got NaN"],
      [{ signal: 1 }, TypeError, "signal must be an AbortSignal, got 1"],
      [{ onEvent: 1 }, TypeError, "onEvent must be a function, got 1"],
      [{ lease: 1 }, TypeError, 'unknown option "lease"; did you mean "leaseMs"?'],
    ] as const
  ) {
    const create = () => new Consumer(queue, options as never);
    assertThrows(create, type, `Cannot create Consumer: ${message}`);
  }
  assertThrows(() => new Consumer(1 as never), TypeError, "queue must be a QueueSource, got 1");
  assertThrows(() => new Consumer({} as never), TypeError, "queue.open must be a function");
  assertThrows(() => messages({} as never), TypeError, "consumer must be a Consumer");
  assertThrows(() => stored({} as never, none), TypeError, "consumer must be a Consumer");
  const consumer = new Consumer(queue);
  messages(consumer);
  stored(consumer, none);
  assertThrows(() => messages(consumer), TypeError, "consumer has a reader already");
  assertThrows(() => stored(consumer, none), TypeError, "consumer has a store already");
});

for (const maxInFlight of [1, 2, 7, 256]) {
  test(`no more than ${maxInFlight} messages are leased at a time, and all are done`, async () => {
    const { queue, consumer } = consumerOf(numbers(300), { maxInFlight });
    const saved: number[] = [];
    const save = async (outputs: readonly Output<number>[]) => {
      await wait(1);
      saved.push(...outputs.map(({ value }) => value));
      if (saved.length === 300) consumer.stop();
    };
    // With room for one, nobody waits for a batch that cannot become full.
    const maxWaitMs = maxInFlight === 1 ? 2 ** 31 - 1 : 5;
    const options = { concurrency: 3, batchSize: 100, maxWaitMs };
    await pipeline(messages(consumer), perMessage(asNumber()), stored(consumer, save, options));
    assertEquals(saved.sort((a, b) => a - b), Array.from({ length: 300 }, (_, index) => index));
    assertEquals([queue.acknowledged.length, queue.leased], [300, 0]);
    assert(queue.peak <= maxInFlight, `${queue.peak} were leased`);
    assert(queue.asked.every((max) => max >= 1 && max <= maxInFlight));
  });
}

test("a message that fails comes again, later each time, and the fifth failure is the last", async () => {
  const queue = new MemoryQueue(numbers(50));
  const events: string[] = [];
  const consumer = new Consumer(queue, {
    retryDelayMs: 1,
    onEvent: ({ kind, ...event }) =>
      events.push(`${kind} ${"message" in event && event.message.id}`),
  });
  const reason = new Error("seven");
  const fail = map((body: string) => {
    if (body === "7") throw reason;
    return body;
  });
  const running = pipeline(messages(consumer), perMessage(fail), stored(consumer, none));
  await until(() => queue.dead.length === 1);
  consumer.stop();
  await running;
  assertEquals(queue.failed, [1, 2, 4, 8].map((delayMs) => ["7", reason, delayMs]));
  assertEquals(queue.dead, [["7", reason]]);
  assertEquals(events, ["failure 7", "failure 7", "failure 7", "failure 7", "dead 7"]);
  const { received, acknowledged, failed, dead, nacked, inFlight } = consumer.counts;
  assertEquals(
    { received, acknowledged, failed, dead, nacked, inFlight },
    { received: 54, acknowledged: 49, failed: 4, dead: 1, nacked: 0, inFlight: 0 },
  );
});

test("a stop gives back at once what was not begun, and finishes what was", async () => {
  const queue = new MemoryQueue(numbers(100));
  const controller = new AbortController();
  const consumer = new Consumer(queue, { maxInFlight: 20, signal: controller.signal });
  const write = Promise.withResolvers<void>();
  const saved: string[] = [];
  let writes = 0;
  const save = async (outputs: readonly Output<string>[]) => {
    writes++;
    await write.promise;
    saved.push(...outputs.map(({ value }) => value));
  };
  const options = { batchSize: 2 };
  const running = pipeline(messages(consumer), perMessage(), stored(consumer, save, options));
  await until(() => queue.leased === 20 && writes > 0);
  controller.abort();
  await until(() => queue.nacked.length > 0);
  const left = consumer.counts.inFlight;
  assertEquals(left + queue.nacked.length, 20);
  assert(left >= 2 && left <= 8, `${left} were begun`);
  write.resolve();
  await running;
  await consumer.close();
  assertEquals(queue.acknowledged, saved);
  assertEquals([saved.length, queue.leased, queue.entries.size], [left, 0, 100 - left]);
  assertEquals([...queue.entries.values()].filter(({ deliveries }) => deliveries !== 0), []);
});

test("what is not done by nine tenths of drainMs is given back, in the last one, and the pipeline fails", async () => {
  for (const [count, left] of [[5, "5 messages were"], [1, "1 message was"]] as const) {
    const { queue, consumer } = consumerOf(numbers(count), { drainMs: 50 });
    let signal: AbortSignal | undefined;
    const hang = (_: unknown, context: { signal: AbortSignal }) => {
      signal = context.signal;
      return new Promise<void>(none);
    };
    const running = pipeline(messages(consumer), perMessage(), stored(consumer, hang));
    await until(() => signal !== undefined);
    const delays = await withNotedTimers(async () => {
      consumer.stop();
      const message = `Cannot finish within 50 ms: ${left} not finished`;
      await assertRejects(() => running, Error, message);
      await consumer.close();
    });
    assert([45, 5].every((ms) => delays.some((one) => Math.abs(one - ms) < 0.001)), `${delays}`);
    assertEquals([queue.nacked.length, queue.leased, consumer.counts.inFlight], [count, 0, 0]);
  }
});

test("a broker that stays away does not hold up the end for longer than drainMs", async () => {
  const { queue, consumer } = consumerOf(numbers(5), { drainMs: 60 });
  const away = new Error("away");
  const save = () => {
    queue.fault = () => {
      throw away;
    };
    consumer.stop();
  };
  await assertRejects(
    () => pipeline(messages(consumer), perMessage(), stored(consumer, save)),
    Error,
    "Cannot finish within 60 ms",
  );
  await consumer.close();
  assertEquals([consumer.counts.inFlight, consumer.counts.acknowledged], [0, 0]);
});

test("a queue that never answers does not hold up the end for longer than drainMs, and is named", async () => {
  const queue = new MemoryQueue([]);
  let isAsked = false;
  queue.receive = () => {
    isAsked = true;
    return new Promise(() => {});
  };
  const consumer = new Consumer(queue, { drainMs: 60 });
  const message = "Cannot finish within 60 ms: the queue does not answer";
  const rejected = assertRejects(
    () => pipeline(messages(consumer), perMessage(), stored(consumer, none)),
    Error,
    message,
  );
  await until(() => isAsked);
  consumer.stop();
  await rejected;
});

test("the pipeline's signal ends it with its reason, and everything is stored or given back", async () => {
  const { queue, consumer } = consumerOf(numbers(100), { maxInFlight: 20 });
  const controller = new AbortController();
  const write = Promise.withResolvers<void>();
  let begun = 0;
  const saved: string[] = [];
  const save = async (outputs: readonly Output<string>[]) => {
    begun += outputs.length;
    await write.promise;
    saved.push(...outputs.map(({ value }) => value));
  };
  const run = pipeline(
    messages(consumer),
    perMessage(),
    stored(consumer, save, { batchSize: 4, concurrency: 2 }),
    { signal: controller.signal },
  );
  await until(() => begun === 8);
  const reason = new Error("enough");
  controller.abort(reason);
  write.resolve();
  assertEquals(await assertRejects(() => run), reason);
  await consumer.close();
  assertEquals(queue.acknowledged.toSorted(), saved.toSorted());
  assertEquals(saved.length + queue.entries.size, 100);
  assertEquals([queue.leased, queue.failed, queue.dead], [0, [], []]);
});

for (const [maxSuspicions, dead] of [[undefined, 5], [1, 1], [7, 7]] as const) {
  test(`a message is dead once ${dead} workers have died of it, and no sooner`, async () => {
    const consume = async (id: string, isolations: number) => {
      const queue = new MemoryQueue(numbers(3));
      queue.add(id, id, 2 + isolations, 0, isolations);
      queue.add("failing", "failing", 6, 4);
      const consumer = new Consumer(queue, { leaseMs: 30, maxSuspicions });
      await workThrough(queue, consumer, perMessage(), none);
      return queue;
    };
    const unlucky = await consume("unlucky", dead - 1);
    assertEquals([unlucky.acknowledged.length, unlucky.dead], [5, []]);
    assertEquals(unlucky.isolated, [["unlucky", 1], ["failing", 1]]);
    assertEquals(unlucky.isolationDelays, [1_000 * 2 ** (dead - 1), 1_000]);
    const queue = await consume("killer", dead);
    assertEquals(queue.dead.map(([id, reason]) => [id, (reason as Error).message]), [
      [
        "killer",
        `${
          dead === 1 ? "1 worker has" : `${dead} workers have`
        } died while at work on it and on nothing else`,
      ],
    ]);
    assertEquals(queue.acknowledged.length, 4);
    assertEquals(queue.isolated, [["failing", 1]]);
  });
}

test("a consumer that is stopped before it begins ends at once", async () => {
  const { queue, consumer } = consumerOf(["a"], { signal: AbortSignal.abort() });
  await pipeline(messages(consumer), perMessage(), stored(consumer, none));
  await consumer.close();
  assertEquals([queue.asked, queue.entries.size], [[], 1]);
});

test("the defaults are those that are documented", async () => {
  const queue = new MemoryQueue(["a"]);
  const { receive } = queue;
  const [leases, waits]: number[][] = [[], []];
  queue.open = (leaseMs?: number) => {
    leases!.push(leaseMs!);
    return Promise.resolve();
  };
  queue.receive = (max, options) => {
    waits!.push(options.waitMs);
    return receive.call(queue, max, options);
  };
  const consumer = new Consumer(queue);
  const fail = map((_: string): string => {
    throw new Error("no");
  });
  const running = pipeline(messages(consumer), perMessage(fail), stored(consumer, none));
  await until(() => queue.failed.length === 1);
  const delays = await withNotedTimers(() => consumer.stop());
  await running;
  assertEquals([leases, queue.asked[0], queue.failed[0]![2]], [[30_000], 256, 1_000]);
  assertEquals(new Set(waits), new Set([20_000]));
  // Nine tenths of the ten seconds are for the work.
  assertEquals(delays.filter((ms) => ms >= 1_000), [9_000]);
  await consumer.close();
});

test("a consumer that is stopped many times leaves no timer and no listener behind", () =>
  withTimerCount(async (pending) => {
    const { controller, signal, listeners } = countedSignal();
    const { queue, consumer } = consumerOf(numbers(3), { signal, drainMs: 600_000 });
    assertEquals(listeners(), 1);
    const reader = messages(consumer).getReader();
    await reader.read();
    consumer.stop();
    consumer.stop();
    controller.abort();
    await reader.cancel();
    const closed = consumer.close();
    consumer.stop();
    await closed;
    await consumer.close();
    assertEquals([pending(), listeners(), queue.leased], [0, 0, 0]);
  }));

test("each batch is a span, with a link to the span of each of its messages", () => {
  const { tracer, spans } = tracerOf();
  const sent = ["a", "b"].map((name) => tracer.startSpan(name).spanContext());
  const known = new Map([["a", sent[0]!], ["b", sent[1]!]]);
  const save = traceSave<string, SpanContext>(tracer, none, {
    contextOf: ({ body }) => known.get(body as string),
    name: "store",
  });
  for (const bodies of ["ab", "cd"]) {
    // Two of each message.
    const outputs = [...bodies].flatMap((value) => {
      const message = { id: value, body: value, deliveries: 1, failures: 0 };
      return [0, 1].map((index) => ({ key: `${value}/${index}`, value, index, message }));
    });
    save(outputs, context);
  }
  assertEquals(spans().map(({ name, attributes, links }) => [name, attributes, links.length]), [
    ["store", { "hosepipe.save.outputs": 4, "hosepipe.save.messages": 2 }, 2],
    ["store", { "hosepipe.save.outputs": 4, "hosepipe.save.messages": 2 }, 0],
  ]);
  assertEquals(
    spans()[0]!.links.map(({ context }) => context.spanId),
    [sent[0]!.spanId, sent[1]!.spanId],
  );
});

const outputs: readonly Output<string>[] = [];
const context = { signal: new AbortController().signal };

test("it answers and fails as save does, and its span says so", async () => {
  const { tracer, spans } = tracerOf();
  assertEquals(traceSave(tracer, () => 7)(outputs, context), 7);
  assertEquals(await traceSave(tracer, () => Promise.resolve(8))(outputs, context), 8);
  const boom = new RangeError("full");
  const fails = traceSave(tracer, () => Promise.reject(boom))(outputs, context) as Promise<void>;
  assertEquals(await fails.catch((reason) => reason), boom);
  let thrown: unknown;
  try {
    traceSave(tracer, () => {
      throw undefined;
    })(outputs, context);
  } catch (reason) {
    thrown = [reason];
  }
  assertEquals(thrown, [undefined]);
  assertEquals(spans().map(({ status }) => status), [
    { code: 0 },
    { code: 0 },
    { code: 2, message: "full" },
    { code: 2, message: "undefined" },
  ]);
});

test("what it is given is checked at once", () => {
  const { tracer } = tracerOf();
  const problem = (...args: unknown[]) =>
    assertThrows(() => (traceSave as (...args: unknown[]) => unknown)(...args), TypeError).message;
  assertEquals(
    [
      problem(undefined, () => {}),
      problem({}, () => {}),
      problem(tracer, 1),
      problem(tracer, () => {}, { links: 1 }),
      problem(tracer, () => {}, { contextOf: 1 }),
      problem(tracer, () => {}, { name: 1 }),
    ].map((message) => message.replace("Cannot trace a save: ", "").split(",")[0]),
    [
      "tracer must be a Tracer of OpenTelemetry",
      "tracer.startActiveSpan must be a function",
      "save must be a function",
      'unknown option "links"; the options are contextOf',
      "contextOf must be a function",
      "name must be a string",
    ],
  );
});
