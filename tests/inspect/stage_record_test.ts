import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { GivenTimes, QueueGauge, SizeLedger, StageRecord } from "../../src/inspect/stage_record.ts";
import { seededRandom } from "../../scenarios/concurrency/seeded_random.ts";

test("GivenTimes remembers 65,536 chunks and no more", () => {
  const times = new GivenTimes();
  for (let ordinal = 1; ordinal <= 65_538; ordinal++) times.add(ordinal, ordinal);
  assertEquals([times.take(2), times.take(3), times.take(65_538)], [undefined, 3, 65_538]);
});

test("GivenTimes remembers as many when some were taken before", () => {
  for (const taken of [1, 60, 70]) {
    const times = new GivenTimes();
    for (let ordinal = 1; ordinal <= taken; ordinal++) times.add(ordinal, ordinal);
    times.take(taken);
    for (let ordinal = taken + 1; ordinal <= taken + 65_536; ordinal++) times.add(ordinal, ordinal);
    assertEquals(times.take(taken + 1), taken + 1);
  }
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

test("SizeLedger forgets what is done with, and not one by one", () => {
  const ledger = new SizeLedger();
  const waiting = 1_000;
  let [longest, cuts] = [0, 0];
  const { slice } = Array.prototype;
  Array.prototype.slice = function (...range) {
    longest = Math.max(longest, this.length);
    cuts++;
    return slice.apply(this, range);
  };
  try {
    for (let given = 1; given <= 20_000; given++) {
      ledger.add(1, 2);
      const begun = Math.max(0, given - waiting);
      ledger.countOut(Math.min(given, waiting), begun);
      // It looks at what it remembers.
      if (given % 1_000 === 0) ledger.sumNext(begun, 1);
    }
  } finally {
    Array.prototype.slice = slice;
  }
  assertEquals([longest < 3 * waiting, cuts < 100], [true, true], `${longest} ${cuts}`);
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

test("with a clock that was given each call counts once", () => {
  const record = new StageRecord("a", "reader", 0);
  for (let calls = 0; calls < 4; calls++) record.addCall(0.25, true);
  for (let calls = 0; calls < 64; calls++) record.addCall(0.015625, true);
  assertEquals(record.busyMs(0), 2);
});

test("work that lasts counts once, however many pieces of it overlap, and up to now", () => {
  const record = new StageRecord("a", "writer", 0);
  assertEquals(record.busyMs(100), 0);
  record.beginWork(10);
  record.beginWork(20);
  assertEquals(record.busyMs(25), 15);
  record.endWork(30);
  assertEquals(record.busyMs(35), 25);
  record.endWork(40);
  assertEquals([record.busyMs(40), record.busyMs(90)], [30, 30]);
  record.beginWork(100);
  assertEquals(record.busyMs(101), 31);
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

test("GivenTimes gives the time of each chunk once, forgets those before it, and starts anew after a gap", () => {
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
        const isAgain = known.at(-1)?.[0] === ordinal;
        if (isAgain) known.pop();
        else if (ordinal !== next) known = [];
        known.push([ordinal, step]);
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
