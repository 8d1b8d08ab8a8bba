import { Readable, Transform, Writable } from "node:stream";
import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { messageDelays } from "../../../scenarios/concurrency/last_admitting_sink.ts";
import { seededRandom } from "../../../scenarios/concurrency/seeded_random.ts";
import { VirtualClock } from "../../../scenarios/demo/demo_clock.ts";
import type { DemoApi, DemoEvent } from "../../../scenarios/demo/demo_event.ts";
import { type Demo, demos } from "../../../scenarios/demo/demos.ts";
import { recordDemo } from "../../../scenarios/demo/record_demo.ts";
import { runDemo } from "../../../scenarios/demo/run_demo.ts";
import { turns } from "../../lib/turns.ts";
import fastCheck from "fast-check";

/** The demo of a number, with other numbers if given. */
function demoOf(number: string, changes: Partial<Demo> = {}): Demo {
  return { ...demos.find((demo) => demo.number === number)!, ...changes };
}

/** The delays of a demo's writes. */
function delaysOf({ messages }: Demo, seed = 1): number[] {
  return messageDelays(messages, seededRandom(seed));
}

/** Runs a demo in virtual time. */
async function eventsOf(demo: Demo, api: DemoApi, seed = 1): Promise<DemoEvent[]> {
  return await recordDemo(demo, api, delaysOf(demo, seed));
}

/** The events before the first write has finished. */
function beforeFirstWritten(events: readonly DemoEvent[]): DemoEvent[] {
  const written = events.findIndex(({ event }) => event === "written");
  return events.slice(0, written === -1 ? events.length : written);
}

/** How often an event happened. */
function count(events: readonly DemoEvent[], name: DemoEvent["event"]): number {
  return events.filter(({ event }) => event === name).length;
}

const apis: readonly DemoApi[] = ["web", "node"];

/** What must hold at every event of every demo. */
function check(demo: Demo, events: readonly DemoEvent[]): void {
  let read = 0;
  events.forEach(({ event, seq, occupancy, hose }, index) => {
    if (event === "read") read++;
    assertEquals(seq, index + 1);
    const counts = Object.values(occupancy);
    assert(counts.every((n) => Number.isInteger(n) && n >= 0), `${counts}`);
    assertEquals(counts.reduce((sum, n) => sum + n, 0), read);
    assert(occupancy.writing <= demo.concurrency, `${occupancy.writing} in flight`);
    const { reader, readerOut, transformerIn, transformer, transformerOut, writerIn, writer } =
      hose;
    assertEquals(reader.length + readerOut.length, occupancy.readerOut);
    assertEquals(transformerIn.length + transformer.length, occupancy.transformerIn);
    assertEquals([transformerOut.length, writerIn.length], [
      ...[occupancy.transformerOut, occupancy.writerIn],
    ]);
    assertEquals(writer.length, occupancy.writing);
    const ids = Object.values(hose).flat();
    assertEquals(new Set(ids).size, ids.length);
  });
}

for (const demo of demos) {
  for (const api of apis) {
    test(`demo ${demo.number} on ${api}: every event conserves messages, concurrency holds`, async () => {
      for (const seed of [1, 2, 3]) {
        const events = await eventsOf(demo, api, seed);
        check(demo, events);
        if (demo.writer !== "none") assertEquals(count(events, "written"), demo.messages);
      }
    });
  }
}

test("any other numbers conserve, too", async () => {
  await fastCheck.assert(
    fastCheck.asyncProperty(
      fastCheck.constantFrom(...demos),
      fastCheck.constantFrom(...apis),
      fastCheck.record({
        highWaterMark: fastCheck.integer({ min: 1, max: 20 }),
        messages: fastCheck.integer({ min: 0, max: 12 }),
        concurrency: fastCheck.integer({ min: 1, max: 12 }),
        batchSize: fastCheck.integer({ min: 1, max: 6 }),
      }),
      async (demo, api, changes) => {
        const changed = { ...demo, ...changes };
        const events = await eventsOf(changed, api);
        check(changed, events);
        if (demo.writer !== "none") assertEquals(count(events, "written"), changes.messages);
      },
    ),
    { numRuns: 40 },
  );
});

test("demo 02: at standstill Web has read 15 of 20, node 14, and each transformed 5", async () => {
  const last = { transformerOut: 5, writerIn: 0, writing: 0, written: 0 };
  for (
    const [api, occupancy] of [
      ["web", { readerOut: 5, transformerIn: 5, ...last }],
      // The fifth message transformed still holds its place in front of the transformer.
      ["node", { readerOut: 5, transformerIn: 4, ...last }],
    ] as const
  ) {
    const events = await eventsOf(demoOf("02"), api);
    assertEquals(events.at(-1)!.occupancy, occupancy);
    assertEquals(count(events, "transform"), 5);
    assertEquals(count(events, "read"), api === "web" ? 15 : 14);
  }
});

test("demo 02 with other marks: three times the mark on Web, one less on node", async () => {
  for (const highWaterMark of [1, 2, 3, 8, 16]) {
    const changes = { highWaterMark, messages: 100 };
    assertEquals(count(await eventsOf(demoOf("02", changes), "web"), "read"), 3 * highWaterMark);
    assertEquals(
      count(await eventsOf(demoOf("02", changes), "node"), "read"),
      3 * highWaterMark - 1,
    );
  }
});

test("demo 05: concurrency pulses; demo 06: it stays at 9 or 10 while there is work", async () => {
  for (const api of apis) {
    const flight = (events: readonly DemoEvent[]) => {
      const from = beforeFirstWritten(events).length;
      const to = events.findLastIndex(({ event }) => event === "write");
      return events.slice(from, to).map(({ occupancy }) => occupancy.writing);
    };
    const pulsing = flight(await eventsOf(demoOf("05", { messages: 60 }), api));
    assert(Math.min(...pulsing) <= 5, `${api}: ${pulsing}`);
    assertEquals(Math.max(...pulsing), 10);
    const steady = flight(await eventsOf(demoOf("06", { messages: 60 }), api));
    assertEquals([Math.min(...steady), Math.max(...steady)], [9, 10]);
  }
});

test("an abort ends it with the reason, and nothing comes after", async () => {
  for (const api of apis) {
    for (const number of ["03", "05", "06"]) {
      const controller = new AbortController();
      const reason = new Error("enough");
      let events = 0;
      const run = runDemo(demoOf(number), api, {
        delays: Array(20).fill(10_000),
        isVirtual: false,
        signal: controller.signal,
        listener: { onEvent: () => void events++, onDetail: () => {} },
      });
      turns(10).then(() => controller.abort(reason));
      await assertRejects(() => run, Error, "enough");
      const before = events;
      assert(before > 0);
      await turns(10);
      assertEquals(events, before);
    }
  }
});

test("real time and virtual time have the same events", async () => {
  for (const api of apis) {
    const demo = demoOf("03", { messages: 4 });
    const names: string[] = [];
    await runDemo(demo, api, {
      delays: [5, 5, 5, 5],
      isVirtual: false,
      listener: { onEvent: ({ event, id }) => void names.push(`${event} ${id}`), onDetail() {} },
    });
    assertEquals(names, (await eventsOf(demo, api)).map(({ event, id }) => `${event} ${id}`));
  }
});

test("each message is read, transformed, written, in the order of the messages", async () => {
  for (const demo of demos) {
    const events = await eventsOf(demo, "web");
    for (const name of ["read", "transform", "write"] as const) {
      const ids = events.filter(({ event }) => event === name).map(({ id }) => id);
      assertEquals(
        ids,
        Array.from(
          { length: ids.length },
          (_, index) =>
            demo.batchSize === 1
              ? `${index + 1}`
              : `${Math.floor(index / 5) + 1}.${String(index % 5 + 1).padStart(2, "0")}`,
        ),
      );
    }
    if (demo.writer === "none") continue;
    assertEquals(count(events, "written"), demo.messages);
    assertEquals(events.filter(({ id }) => id === null).map(({ stage }) => stage), [
      ...["reader", "transformer", "writer"],
    ]);
    for (const { id } of events.filter(({ event }) => event === "written")) {
      const order = events.filter((event) => event.id === id).map(({ event }) => event);
      assertEquals(order, ["read", "transform", "write", "written"]);
    }
  }
});

test("demo 01: one message at a time through transformer and writer, read ahead of them", async () => {
  const events = await eventsOf(demoOf("01"), "web");
  const inHands = events.map(({ occupancy: { transformerOut, writerIn, writing } }) =>
    transformerOut + writerIn + writing
  );
  assertEquals(Math.max(...inHands), 1);
  const inPipe = events.map(({ occupancy: { written: _, ...rest } }) =>
    Object.values(rest).reduce((sum, n) => sum + n, 0)
  );
  // Two in the reader's buffer, and one or two, by runtime, in the transformer's.
  assert([3, 4].includes(Math.max(...inPipe)));
});

test("demo 03: one in, one out: each finished write moves one message through every stage", async () => {
  const events = await eventsOf(demoOf("03"), "web");
  assertEquals(count(beforeFirstWritten(events), "read"), 8);
  assertEquals(count(beforeFirstWritten(events), "transform"), 4);
  const rest = events.slice(beforeFirstWritten(events).length);
  const moves = rest.map(({ event, id }) => `${event} ${id}`).join(", ").split(/, (?=written)/);
  assertEquals(moves.slice(0, 2), [
    "written 1, write 2, transform 5, read 9",
    "written 2, write 3, transform 6, read 10",
  ]);
});

test("demo 04: 20 messages in the pipe, where 16 fit, before the first is written", async () => {
  const before = beforeFirstWritten(await eventsOf(demoOf("04"), "web"));
  assertEquals([count(before, "read"), count(before, "transform")], [20, 8]);
  assertEquals(before.at(-1)!.occupancy, {
    ...{ readerOut: 8, transformerIn: 4, transformerOut: 4, writerIn: 3, writing: 1, written: 0 },
  });
});

/** What node's streams do in a demo when written by hand, with nothing of ours but the clock. */
async function byHand(demo: Demo, seed: number): Promise<string[]> {
  const log: string[] = [];
  const clock = new VirtualClock();
  const delays = delaysOf(demo, seed);
  const options = { objectMode: true, highWaterMark: demo.highWaterMark };
  let read = 0;
  let batch = 0;
  let writes = 0;
  let inFlight = 0;

  class Reader extends Readable {
    override _read() {
      if (read < demo.messages) batch++;
      for (let place = 1; place <= demo.batchSize; place++) {
        if (read === demo.messages) {
          log.push("end");
          this.push(null);
          return;
        }
        read++;
        const id = demo.batchSize === 1 ? `${read}` : `${batch}.${String(place).padStart(2, "0")}`;
        log.push(`read ${id}`);
        this.push(id);
      }
    }
  }
  class Stage extends Transform {
    override _transform(id: string, _encoding: string, callback: () => void) {
      log.push(`transform ${id}`);
      this.push(id);
      callback();
    }
    override _flush(callback: () => void) {
      log.push("transformer final");
      callback();
    }
  }
  const write = (id: string, finished: (number: number) => void) => {
    log.push(`write ${id}`);
    inFlight++;
    const number = ++writes;
    const finish = () => {
      log.push(`written ${id}`);
      inFlight--;
      finished(number);
    };
    if (demo.writer === "fast") finish();
    else clock.sleep(delays[number - 1]!).then(finish);
  };
  class Writer extends Writable {
    #next: (() => void) | undefined;
    #final: (() => void) | undefined;
    override _write(id: string, _encoding: string, callback: () => void) {
      this.#next = callback;
      // Which write may call back: only the last one started can, each having one callback.
      const release = () => {
        const next = this.#next;
        this.#next = undefined;
        next?.();
      };
      write(id, (number) => {
        if (inFlight === 0) this.#final?.();
        if (number === writes) release();
      });
      if (inFlight < demo.concurrency) release();
    }
    override _final(callback: () => void) {
      const end = () => {
        log.push("writer final");
        callback();
      };
      if (inFlight === 0) end();
      else this.#final = end;
    }
  }
  const stage = new Reader(options).pipe(new Stage(options));
  if (demo.number === "06") {
    stage.on("data", (id: string) => {
      write(id, () => stage.resume());
      if (inFlight >= demo.concurrency) stage.pause();
    });
  } else if (demo.writer !== "none") stage.pipe(new Writer(options));
  await clock.run(undefined);
  return log;
}

function untilWritten(log: readonly string[]): string[] {
  return log.slice(0, log.findIndex((line) => line.startsWith("written")) + 1);
}

async function byTwins(demo: Demo, seed: number): Promise<string[]> {
  return (await eventsOf(demo, "node", seed)).map(({ event, stage, id }) =>
    id === null ? (event === "end" ? "end" : `${stage} final`) : `${event} ${id}`
  );
}

for (const demo of demos) {
  test(`demo ${demo.number}: the events of node streams, as written by hand`, async () => {
    for (const seed of [1, 2]) {
      for (const highWaterMark of [demo.highWaterMark, 1, 16]) {
        for (const batchSize of [demo.batchSize, 3]) {
          const changed = { ...demo, highWaterMark, batchSize };
          const [hand, twins] = [await byHand(changed, seed), await byTwins(changed, seed)];
          if (demo.concurrency === 1) assertEquals(twins, hand);
          else {
            assertEquals(untilWritten(twins), untilWritten(hand));
            // Later, too, nothing is lost.
            assertEquals(
              twins.toSorted(),
              hand.concat(demo.number === "06" ? "writer final" : [])
                .toSorted(),
            );
          }
        }
      }
    }
  });
}

test("demo 01: one message at a time through transformer and writer", async () => {
  const events = await eventsOf(demoOf("01"), "node");
  assertEquals(events.slice(0, 7).map(({ event, id }) => `${event} ${id}`), [
    ...["read 1", "read 2", "transform 1", "write 1", "written 1", "read 3", "transform 2"],
  ]);
});

test("demo 03: the pulse in pairs: after two writes, two are taken on", async () => {
  const events = await eventsOf(demoOf("03"), "node");
  const pulses: string[] = [];
  let written = 0;
  for (const { event, id } of events) {
    if (event === "written") written++;
    if (written > 0 && event === "transform") pulses.push(`${id} after ${written}`);
  }
  assertEquals(pulses, [
    "5 after 2",
    "6 after 2",
    "7 after 4",
    "8 after 4",
    "9 after 6",
    "10 after 6",
  ]);
});

test("demo 04: 15 messages in the pipe before the first is written, 16 at most", async () => {
  const events = await eventsOf(demoOf("04"), "node");
  const first = events.findIndex(({ event }) => event === "written");
  assertEquals(count(events.slice(0, first), "read"), 15);
  const inPipe = events.map(({ occupancy: { written: _, ...rest } }) =>
    Object.values(rest).reduce((sum, n) => sum + n, 0)
  );
  assertEquals(Math.max(...inPipe), 16);
});
