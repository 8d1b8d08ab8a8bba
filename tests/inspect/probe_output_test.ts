import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { map, pipeline } from "@hosepipe/streams";
import { probe, type ProbeAnswer, type ProbeEvent } from "@hosepipe/streams/inspect";
import { driven, HandQueue } from "./_by_hand.ts";

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function run(look: ReturnType<typeof probe>, count: number): Promise<void> {
  await pipeline(
    look.reader(Array.from({ length: count }, (_, index) => index)),
    look.transformer(map((n: number) => n)),
    look.writer(() => {}),
  );
}

test("the ring keeps the last events and counts the others", async () => {
  for (const capacity of [0, 1, 7, 10_000]) {
    const look = probe({ capacity });
    await run(look, 100);
    const kept = look.events();
    const happened = kept.length + look.dropped();
    assertEquals(kept.length, Math.min(capacity, happened));
    assertEquals(look.occupancy().written, 100);
    // read, transform, write and written of each chunk, and two ends
    if (capacity > 0) assert(happened >= 402 && kept.at(-1)!.seq === happened);
    assertEquals(kept.map(({ seq }) => seq), kept.map((_, index) => look.dropped() + index + 1));
  }
});

test("without a ring the callback still gets every event, as it happens", async () => {
  const events: ProbeEvent[] = [];
  const look = probe({ capacity: 0, onEvent: (event) => events.push(event) });
  await run(look, 10);
  assertEquals(events.filter(({ event }) => event === "written").length, 10);
  assertEquals(look.events(), []);
});

test("an iterator sees the same as the callback, and ends with the last stage", async () => {
  const heard: ProbeEvent[] = [];
  const look = probe({ onEvent: (event) => heard.push(event) });
  const seen = (async () => {
    const events: ProbeEvent[] = [];
    for await (const event of look) events.push(event);
    return events;
  })();
  await new ReadableStream(look.reader<number>({
    async pull(controller) {
      await wait(1);
      if (heard.filter(({ event }) => event === "read").length < 3) controller.enqueue(1);
      else controller.close();
    },
  })).pipeTo(new WritableStream(look.writer({})));
  // What came of an event is known only afterwards.
  const plain = (events: readonly ProbeEvent[]) =>
    events.map(({ seq, timeMs, stage, event, id, occupancy }) => ({
      ...{ seq, timeMs, stage, event, id, occupancy },
    }));
  assertEquals(plain(await seen), plain(heard));
  assertEquals(heard.at(-1)!.event, "final");
});

test("an iterator ends with the last of many quick writes, of which most are not measured", async () => {
  const look = probe();
  const read = look.reader(Array.from({ length: 300 }, (_, index) => index));
  const write = look.writer(() => {});
  const events = look[Symbol.asyncIterator]();
  const chunks = [...read];
  const counted = (async () => {
    let count = 0;
    while (!(await events.next()).done) count++;
    return count;
  })();
  for (const chunk of chunks) write(chunk);
  // 300 read and one end, 300 begun and 300 written.
  assertEquals(await counted, 901);
});

test("an iterator that is late misses events rather than making the probe hold them", async () => {
  const look = probe({ capacity: 4 });
  await run(look, 50);
  const seen: number[] = [];
  for await (const { seq } of look) seen.push(seq);
  assertEquals(seen.length, 4);
  assertEquals(seen[0], look.dropped() + 1);
});

test("JSON lines are the events, one a line, after a header", async () => {
  const look = probe();
  await run(look, 3);
  const [, ...lines] = look.toJsonLines().split("\n");
  assertEquals(lines.pop(), "");
  assertEquals(lines.map((line) => JSON.parse(line)), JSON.parse(JSON.stringify(look.events())));
  assertEquals(Object.keys(JSON.parse(lines[0]!)), [
    ...["seq", "timeMs", "stage", "event", "id", "occupancy"],
  ]);
  const transform = look.events().find(({ event }) => event === "transform")!;
  assertEquals(transform.wantsMore, transform.desiredSize! > 0);
});

test("a trace has paired writes, and the counters of each event", async () => {
  let nowMs = 100;
  const look = probe({ now: () => nowMs });
  await pipeline(look.reader([1, 2]), look.writer(() => void (nowMs += 3)));
  const { traceEvents, displayTimeUnit } = look.toChromeTrace();
  assertEquals(displayTimeUnit, "ms");
  const of = (ph: string) => traceEvents.filter((entry) => entry.ph === ph);
  assertEquals(of("b").map(({ ts, tid }) => [ts, tid]), [[0, 2], [3000, 2]]);
  assertEquals(of("e").map(({ ts, tid }) => [ts, tid]), [[3000, 2], [6000, 2]]);
  assertEquals(of("b").map(({ id }) => id), of("e").map(({ id }) => id));
  const counters = look.events().flatMap(({ occupancy, timeMs }) => {
    const { readerOut, transformerIn, transformerOut, writerIn, writing } = occupancy;
    const entry = { ph: "C", pid: 1, tid: 0, ts: 1000 * timeMs };
    return [
      { ...entry, name: "buffers", args: { readerOut, transformerIn, transformerOut, writerIn } },
      { ...entry, name: "writes in flight", args: { writing } },
    ];
  });
  assertEquals(of("C"), counters as never);
});

test("a trace has every event in its place, and a write that is not over has no end", () => {
  const run = driven({ isSync: false });
  run.pull();
  run.transform();
  run.write();
  run.source.cancel("enough");
  const [title, ...entries] = run.look.toChromeTrace().traceEvents.filter(({ ph }) => ph !== "C");
  assertEquals(title, {
    ...{ name: "thread_name", ph: "M", pid: 1, tid: 0, ts: 0 },
    args: { name: "buffers" },
  });
  const place = (tid: number, ts: number) => ({ pid: 1, tid, ts });
  assertEquals(entries.slice(3), [
    { ...place(1, 2000), name: "read <1>", ph: "i", s: "t" },
    { ...place(2, 2000), name: "transform <1>", ph: "X", dur: 3000 },
    { ...place(2, 5000), name: "backpressure", ph: "i", s: "t" },
    { ...place(3, 5000), name: "write <10>", cat: "write", id: 4, ph: "b" },
    { ...place(1, 10_000), name: "cancel", ph: "i", s: "t", args: { reason: "enough" } },
  ]);
  assertEquals(entries.slice(0, 3).map(({ tid, args }) => [tid, args]), [
    [1, { name: "reader" }],
    [2, { name: "transformer" }],
    [3, { name: "writer" }],
  ]);
});

test("the last 10,000 events are kept unless another number is asked for", async () => {
  const look = probe();
  await run(look, 2600);
  const { length } = look.events();
  assertEquals([length, look.events()[0]!.seq, look.dropped() > 0], [
    10_000,
    look.dropped() + 1,
    true,
  ]);
});

test("onAnswer without identify names chunks by their numbers", () => {
  const answers: ProbeAnswer[] = [];
  const look = probe({ onAnswer: (answer) => void answers.push(answer) });
  const source = look.reader<string>({
    start(controller) {
      for (const chunk of ["a", "b"]) controller.enqueue(chunk);
    },
  }) as Required<UnderlyingDefaultSource<string>>;
  source.start(new HandQueue(2) as never);
  assertEquals(answers, [
    { stage: "reader", id: "1", desiredSize: 1, wantsMore: true },
    { stage: "reader", id: "2", desiredSize: 0, wantsMore: false },
  ]);
});
