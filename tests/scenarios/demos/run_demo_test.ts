import { assert, assertEquals, assertRejects } from "@std/assert";
import fastCheck from "fast-check";
import { test } from "node:test";
import type { DemoApi, DemoEvent } from "../../../scenarios/demo/demo_event.ts";
import { type Demo, demos } from "../../../scenarios/demo/demos.ts";
import { runDemo } from "../../../scenarios/demo/run_demo.ts";
import { beforeFirstWritten, count, demoOf, eventsOf } from "./_run.ts";
import { turns } from "../../lib/turns.ts";

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
