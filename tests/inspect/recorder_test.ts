import { assert, assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import {
  probe,
  type ProbeAnswer,
  type ProbeEvent,
  type RecordingHeader,
} from "@hosepipe/streams/inspect";
import { turns } from "../lib/turns.ts";
import { ProbeClock } from "../../src/inspect/recorder.ts";
import { withTimerCount } from "../lib/with_timer_count.ts";
import { map, pipeline } from "@hosepipe/streams";
import { driven, HandQueue, thrownDuring } from "./_by_hand.ts";
import { GivenTimes, QueueGauge, SizeLedger, StageRecord } from "../../src/inspect/stage_record.ts";
import { seededRandom } from "../../scenarios/concurrency/seeded_random.ts";
import { withClock } from "../lib/with_clock.ts";

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

test("a clock that was given is read each time", () => {
  let nowMs = 0;
  const clock = new ProbeClock(() => ++nowMs);
  assertEquals([clock.isExact, clock.read(), clock.glance(), clock.glance()], [true, 2, 3, 4]);
});

test("the real clock, however often it is read in a turn, sets one timer", async () => {
  await withTimerCount(async (pending) => {
    const clock = new ProbeClock(undefined);
    for (let reads = 0; reads < 200; reads++) clock.glance();
    clock.read();
    clock.read();
    assertEquals(pending(), 1);
    await turns(2);
    assertEquals(pending(), 0);
  });
});

test("the real clock is believed for 64 glances of one turn, and never in the next", async () => {
  let reads = 0;
  await withClock(() => ++reads, async () => {
    const clock = new ProbeClock(undefined);
    assertEquals([clock.isExact, clock.glance(), clock.read()], [false, 2, 3]);
    const seen = Array.from({ length: 65 }, () => clock.glance());
    assertEquals(seen, [...new Array(64).fill(3), 4]);
    for (let turn = 0; turn < 3; turn++) {
      await turns(2);
      const before = reads;
      assertEquals(clock.glance() > before, true);
      const after = reads;
      assertEquals([clock.glance(), clock.glance()], [after, after]);
    }
  });
});

function read(recording: string): { header: RecordingHeader; events: ProbeEvent[] } {
  const [header, ...events] = recording.trimEnd().split("\n").map((line) => JSON.parse(line));
  return { header, events };
}

test("a recording begins with what the pipeline is, and goes on with its events", async () => {
  const look = probe({ name: "orders\n1", capacity: 4 });
  await pipeline(
    look.reader([1, 2, 3], { strategy: { highWaterMark: 2 } }),
    look.transformer(map((n: number) => n), {
      name: 'a "double"',
      writableStrategy: { highWaterMark: 3 },
    }),
    look.writer(() => {}),
  );
  const { header, events } = read(look.toJsonLines());
  assertEquals(header, {
    format: "hosepipe-probe",
    version: 1,
    name: "orders\n1",
    dropped: look.dropped(),
    stages: [
      { name: "reader", kind: "reader" },
      {
        name: 'a "double"',
        kind: "transformer",
        inHighWaterMark: 3,
        outHighWaterMark: header.stages[1]!.outHighWaterMark!,
      },
      { name: "writer", kind: "writer", inHighWaterMark: 1 },
    ],
    summary: look.bottleneck().summary,
  });
  assertEquals(events, look.events());
  assertEquals(events[0]!.seq, header.dropped + 1);
});

test("a recording of nothing is a header", () => {
  const look = probe();
  assertEquals(look.name, "pipeline");
  const { header, events } = read(look.toJsonLines());
  assertEquals([header.name, header.stages, header.dropped, events], ["pipeline", [], 0, []]);
});

test("marks without a limit, and the room that is left below them, are written as words", async () => {
  const look = probe();
  const strategy = { highWaterMark: Infinity };
  let count = 0;
  const readable = new ReadableStream(
    look.reader<number>({
      pull: (controller) => count++ < 2 ? controller.enqueue(count) : controller.close(),
    }, { strategy }),
    strategy,
  );
  await readable.pipeTo(new WritableStream(look.writer({}, { strategy }), strategy));
  const { header, events } = read(look.toJsonLines());
  assertEquals(
    header.stages.map(({ inHighWaterMark, outHighWaterMark }) =>
      inHighWaterMark ?? outHighWaterMark
    ),
    ["Infinity", "Infinity"],
  );
  assertEquals(events[0]!.desiredSize as unknown, "Infinity");
});

test("a failure with undefined, and reasons over several lines, are one line each", async () => {
  for (const reason of [undefined, "one\ntwo\u2028three"]) {
    const look = probe();
    const failing = look.reader({
      pull() {
        throw reason;
      },
    });
    await new ReadableStream(failing).pipeTo(new WritableStream(look.writer({}))).catch(() => {});
    const { events } = read(look.toJsonLines());
    assertEquals(events.map(({ event, reason }) => [event, reason]), [
      ["error", String(reason)],
      ["cancel", String(reason)],
    ]);
  }
});

test("a name that is no string is refused", () => {
  const action = "must be a string, got 5";
  assertThrows(() => probe({ name: 5 } as never), TypeError, `Cannot create probe: name ${action}`);
  assertThrows(
    () => probe().writer(() => {}, { name: 5 } as never),
    TypeError,
    `Cannot probe writer: name ${action}`,
  );
});

test("stages stand in the pipeline's order, whatever the order in which they are wrapped", () => {
  const look = probe();
  look.writer(() => {});
  look.transformer({});
  look.transformer({}, { name: "mine" });
  look.transformer({});
  look.reader([1]);
  assertEquals(
    look.bottleneck().stages.map(({ stage }) => stage),
    ["reader", "transformer", "mine", "transformer 3", "writer"],
  );
  assertEquals(
    look.buffers().map(({ stage, kind }) => `${stage} ${kind}`),
    [
      "reader readerOut",
      ...["transformer", "mine", "transformer 3"].flatMap((name) => [
        `${name} transformerIn`,
        `${name} transformerOut`,
      ]),
      "writer writerIn",
    ],
  );
});

test("iterating a probe gives each event when it happens, and not at the end", async () => {
  const look = probe();
  let push!: (chunk: number) => void;
  let close!: () => void;
  new ReadableStream(
    look.reader<number>({
      start(controller) {
        push = (chunk) => controller.enqueue(chunk);
        close = () => controller.close();
      },
    }),
    { highWaterMark: 4 },
  );
  const events = look[Symbol.asyncIterator]();
  const seen: string[] = [];
  const following = (async () => {
    while (true) {
      const { done, value } = await events.next();
      if (done) return;
      seen.push(value.event);
    }
  })();
  for (const count of [1, 2]) {
    await turns();
    push(count);
    await turns();
    assertEquals(seen, new Array(count).fill("read"));
  }
  close();
  await following;
  assertEquals(seen, ["read", "read", "end"]);
});

test("what a listener throws is no error of the pipeline, and the next event reaches it", async () => {
  let count = 0;
  let chunks: unknown;
  const reasons = await thrownDuring(async () => {
    const look = probe({
      onEvent() {
        throw ++count;
      },
    });
    const source: UnderlyingDefaultSource<number> = {
      start(controller) {
        controller.enqueue(7);
        controller.close();
      },
    };
    chunks = await Array.fromAsync(new ReadableStream(look.reader(source)));
    await turns();
  });
  assertEquals([chunks, reasons], [[7], [1, 2, 3].slice(0, count)]);
});

test("GivenTimes remembers 65,536 chunks and no more", () => {
  const times = new GivenTimes();
  for (let ordinal = 1; ordinal <= 65_538; ordinal++) times.add(ordinal, ordinal);
  assertEquals([times.take(2), times.take(3), times.take(65_538)], [undefined, 3, 65_538]);
});

test("SizeLedger knows from sums alone how many chunks are in either queue, over thousands of moves", () => {
  for (let seed = 1; seed <= 6; seed++) {
    const random = seededRandom(seed);
    const below = (limit: number) => Math.floor(random() * limit);
    const ledger = new SizeLedger();
    // Some runs have queues that grow long, others never do.
    const longest = [1, 5, 300][seed % 3]!;
    const out: [number, number][] = [];
    const next: number[] = [];
    let begun = 0;
    const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0);
    for (let step = 0; step < 2_000; step++) {
      const act = below(3);
      if (act === 0 && out.length < longest) {
        const sizes: [number, number] = [1 + below(5) / 4, 1 + below(9)];
        out.push(sizes);
        ledger.add(...sizes);
        // Now and then one more that does not get into the queue.
        if (below(4) === 0) {
          ledger.add(7, 7);
          ledger.removeLast();
        }
      } else if (act === 1 && out.length > 0 && next.length < longest) next.push(out.shift()![1]);
      else if (act === 2 && next.length > 0) {
        next.shift();
        begun++;
      }
      assertEquals(ledger.countOut(sum(out.map(([size]) => size)), begun), out.length);
      assertEquals(ledger.sumNext(begun, next.length), sum(next));
    }
  }
});

test("SizeLedger takes chunks of no size to be where they were, until they are begun", () => {
  const ledger = new SizeLedger();
  for (const size of [0, 2, 0]) ledger.add(size, 1);
  assertEquals([ledger.countOut(2, 0), ledger.countOut(2, 1)], [3, 2]);
  assertEquals([ledger.countOut(0, 1), ledger.countOut(0, 3)], [1, 0]);
});

test("SizeLedger counts a chunk of which only a part has been taken, as of bytes, as being there", () => {
  const ledger = new SizeLedger();
  for (const size of [10, 6]) ledger.add(size, 1);
  const counts = [16, 10, 7, 6, 2, 0].map((total) => ledger.countOut(total, 0));
  assertEquals(counts, [2, 2, 2, 1, 1, 0]);
});

test("SizeLedger takes what rounding makes of a large sum for no chunk that has left", () => {
  for (const error of [-0.01, 0.01]) {
    const ledger = new SizeLedger();
    for (const size of [0, 1e9]) ledger.add(size, 1);
    assertEquals(ledger.countOut(1e9 + error, 0), 2);
  }
});

test("SizeLedger forgets what is done with", () => {
  const ledger = new SizeLedger();
  const waiting = 1_000;
  let most = 0;
  const { set } = Map.prototype;
  Map.prototype.set = function (...entry) {
    most = Math.max(most, this.size);
    return set.apply(this, entry);
  };
  try {
    for (let given = 1; given <= 20_000; given++) {
      ledger.add(1, 2);
      ledger.countOut(Math.min(given, waiting), Math.max(0, given - waiting));
    }
  } finally {
    Map.prototype.set = set;
  }
  assertEquals(most, waiting);
});

/** A stream, its gauge and its controller; nothing is in its queue. */
function opened(highWaterMark: number) {
  const gauge = new QueueGauge();
  let controller!: ReadableStreamDefaultController<number>;
  const readable = new ReadableStream<number>({
    start(real) {
      controller = real;
      gauge.open(real);
    },
  }, { highWaterMark });
  return { gauge, controller, reader: readable.getReader() };
}

test("a queue is counted while it fills, while it is closed and while it is emptied, however often", async () => {
  for (const highWaterMark of [1, 2, 5]) {
    for (let count = 0; count <= highWaterMark + 2; count++) {
      const { gauge, controller, reader } = opened(highWaterMark);
      for (let n = 0; n < count; n++) {
        assertEquals(gauge.total(), n);
        controller.enqueue(n);
      }
      assertEquals([gauge.total(), gauge.total(), gauge.isClosing], [count, count, false]);
      gauge.close();
      gauge.close();
      assertEquals([gauge.total(), gauge.total(), gauge.isClosing], [count, count, true]);
      controller.close();
      // Once more, as one that closes and then ends does.
      gauge.close();
      assertEquals([gauge.total(), gauge.total()], [count, count]);
      for (let left = count - 1; left >= 0; left--) {
        await reader.read();
        // A closed queue says 0 when it is full and when it is empty; this one had no room in between.
        if (left === 0 && highWaterMark === 1) break;
        assertEquals([gauge.total(), gauge.total()], [left, left], `${left} of ${count}`);
      }
      await reader.closed;
      if (count === 0 || highWaterMark > 1) assertEquals(gauge.total(), 0);
    }
  }
});

test("a queue that has failed, was never opened or has no limit counts 0", async () => {
  const never = new QueueGauge();
  assertEquals([never.total(), never.highWaterMark], [0, undefined]);
  never.close();
  assertEquals(never.total(), 0);
  const endless = opened(Infinity);
  endless.controller.enqueue(1);
  assertEquals([endless.gauge.total(), endless.gauge.highWaterMark], [0, Infinity]);
  const failed = opened(4);
  failed.controller.enqueue(1);
  failed.controller.error("why");
  assertEquals([failed.gauge.total(), failed.gauge.highWaterMark], [0, 4]);
  await failed.reader.closed.catch(() => {});
});

test("a queue that had room when it was closed is known to be empty, asked before or not", async () => {
  for (const highWaterMark of [2, 3]) {
    for (let count = 0; count < highWaterMark; count++) {
      const { gauge, controller, reader } = opened(highWaterMark);
      for (let n = 0; n < count; n++) controller.enqueue(n);
      gauge.close();
      controller.close();
      for (let n = 0; n < count; n++) await reader.read();
      await reader.closed;
      assertEquals(gauge.total(), 0);
    }
  }
});

test("a queue that is cancelled is empty, full or not", async () => {
  for (const count of [0, 1, 3]) {
    const { gauge, controller, reader } = opened(3);
    for (let n = 0; n < count; n++) controller.enqueue(n);
    assertEquals(gauge.total(), count);
    gauge.cancel();
    await reader.cancel();
    assertEquals([gauge.total(), gauge.highWaterMark], [0, 3]);
  }
});

test("of short calls one in 64 is measured and counts for all; after a slow one the next is, too", () => {
  const record = new StageRecord("a", "reader", 0);
  const measured = (calls: number) =>
    Array.from({ length: calls }, () => record.isMeasured).filter(Boolean).length;
  assertEquals(measured(3), 3);
  record.addCall(5, false);
  assertEquals([measured(3), record.busyMs(0)], [3, 5]);
  // The first short one was measured as a slow one is; from then on it stands for 64.
  record.addCall(1 / 64, false);
  assertEquals([measured(64), measured(640), record.busyMs(0)], [1, 10, 5 + 1 / 64]);
  record.addCall(0.5, false);
  assertEquals([measured(3), record.busyMs(0)], [3, 37 + 1 / 64]);
  record.addCall(1, false);
  assertEquals(record.busyMs(0), 38 + 1 / 64);
  record.addCall(0.02, false);
  assertEquals(measured(64), 1);
});

test("nothing waits for a stage that is over or has failed, and what is not known stays so", () => {
  for (const end of ["isOver", "hasFailed"] as const) {
    const [record, next] = [
      new StageRecord("a", "reader", 0),
      new StageRecord("b", "writer", 1),
    ];
    next.previous = record;
    record.given = 5;
    next.begun = 2;
    assertEquals([record.in, next.in, next.waitingBehind(1)], [undefined, 3, 2]);
    record[end] = next[end] = true;
    assertEquals([record.in, next.in, next.waitingBehind(1)], [undefined, 0, 0]);
  }
});

test("a writer has done what it has written and not failed, another what it has given", () => {
  for (const kind of ["reader", "transformer", "writer"] as const) {
    const record = new StageRecord("a", kind, 0);
    Object.assign(record, { given: 9, begun: 7, finished: 5, failed: 2 });
    assertEquals([record.done, record.inFlight], [kind === "writer" ? 3 : 9, 2]);
  }
});

test("GivenTimes gives the time of each chunk once, and forgets those before it", () => {
  const random = seededRandom(1);
  const below = (limit: number) => Math.floor(random() * limit);
  for (let round = 0; round < 200; round++) {
    const times = new GivenTimes();
    let known: [ordinal: number, timeMs: number][] = [];
    let next = 1;
    for (let step = 0; step < 300; step++) {
      const act = below(20);
      if (act < 12) {
        // Now and then a number again that a full queue has given back, or one after a gap.
        const ordinal = act === 0 ? next + below(4) : act === 1 ? Math.max(1, next - 1) : next;
        known = [...known.filter(([one]) => one !== ordinal), [ordinal, step]];
        times.add(ordinal, step);
        next = ordinal + 1;
      } else {
        const wanted = (known[0]?.[0] ?? next) - 1 + below(4);
        const timeMs = known.find(([ordinal]) => ordinal === wanted)?.[1];
        assertEquals(times.take(wanted), timeMs);
        if (timeMs !== undefined) known = known.filter(([ordinal]) => ordinal > wanted);
      }
    }
  }
});
