import fc from "fast-check";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { ExtractProgress, type ProgressSpan } from "../../../scenarios/extract/command.ts";
import { isoTime } from "../../../scenarios/extract/value.ts";
import type { Output } from "../../../scenarios/extract/output.ts";
import { nextShare, OutputBuffer, Slices } from "../../../scenarios/extract/extract.ts";
import { parseInstant } from "../../../scenarios/extract/read_extract_flags.ts";
import { type TimedRow, TimeOrder } from "../../../scenarios/extract/sources/time_order.ts";

test("slices follow each other from the first number to the last, whatever they have given", () => {
  fc.assert(
    fc.property(
      ...[fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 1, max: 16 })] as const,
      fc.infiniteStream(fc.nat(100_000)),
      (length, cursors, given) => {
        const span = { from: -7, to: length - 7 };
        const slices = new Slices(span, 2 * cursors, 1_000, length / cursors / 256);
        let edge = span.from;
        for (const bytes of given) {
          const slice = slices.next();
          if (slice === undefined) break;
          assertEquals(slice.from, edge);
          assert(slice.to > slice.from);
          edge = slice.to;
          slices.note(slice, bytes);
        }
        assertEquals(edge, span.to);
        assertEquals(slices.next(), undefined);
      },
    ),
  );
});

test("slices of too many bytes shrink, of too few grow, neither by more than four times", () => {
  const slices = new Slices({ from: 0, to: 1_000_000 }, 10, 100, 1_000_000 / 5 / 256);
  const next = (bytes: number) => {
    const slice = slices.next()!;
    slices.note(slice, bytes);
    return slice.to - slice.from;
  };
  assertEquals([200, 1_000_000, 0, 100, 100].map(next), [100_000, 50_000, 12_500, 50_000, 50_000]);
});

test("the share of this thread grows while it waits for others, and shrinks while they wait for it", () => {
  const slices = new Slices({ from: 0, to: 2_560_000 }, 256, 100);
  const lengthOf = (share: number) => {
    const { from, to } = slices.next(share)!;
    return to - from;
  };
  const [waits, stalls] = [{ waitedMs: 1, stalledMs: 0 }, { waitedMs: 0, stalledMs: 1 }];
  assertEquals([1, nextShare(1, waits), nextShare(1, stalls)].map(lengthOf), [
    10_000,
    11_000,
    9_000,
  ]);
  assertEquals([nextShare(1.9, waits), nextShare(0.13, stalls)].map(lengthOf), [20_000, 1_250]);
});

test("a time is what toISOString makes of it, whichever came before", () => {
  const time = fc.oneof(
    fc.integer({ min: -8.64e15, max: 8.64e15 }),
    fc.integer({ min: -200_000, max: 200_000 }),
    fc.integer({ min: 0, max: 59_999 }).map((ms) => Date.UTC(2026, 0, 31, 23, 59) + ms),
  );
  fc.assert(
    fc.property(fc.array(time, { minLength: 1, maxLength: 20 }), (times) => {
      assertEquals(times.map(isoTime), times.map((ms) => new Date(ms).toISOString()));
    }),
    { numRuns: 500 },
  );
});

const read = (text: string, timeZone = "UTC") => new Date(parseInstant(text, timeZone)).toJSON();

const instants: readonly [text: string, instant: string, timeZone?: string][] = [
  ["2026-01-31", "2026-01-31T00:00:00.000Z"],
  ["2024-02-29", "2024-02-29T00:00:00.000Z"],
  ["2026-01-31T08:30", "2026-01-31T08:30:00.000Z"],
  ["2026-01-31 08:30:15.5", "2026-01-31T08:30:15.500Z"],
  ["2026-01-31T08:30Z", "2026-01-31T08:30:00.000Z", "Asia/Tokyo"],
  ["2026-01-31T08:30+05:45", "2026-01-31T02:45:00.000Z", "Asia/Tokyo"],
  ["2026-01-31T08:30-03:00", "2026-01-31T11:30:00.000Z"],
  ["2026-01-31", "2026-01-30T23:00:00.000Z", "Europe/Zurich"],
  ["2026-07-01", "2026-06-30T22:00:00.000Z", "Europe/Zurich"],
  ["2026-01-31", "2026-01-31T05:00:00.000Z", "America/New_York"],
  ["2026-01-31", "2026-01-30T18:15:00.000Z", "Asia/Kathmandu"],
  ["1969-07-20", "1969-07-20T05:00:00.000Z", "America/Chicago"],
  ["2026-03-29", "2026-03-28T23:00:00.000Z", "Europe/Zurich"],
  ["2026-03-30", "2026-03-29T22:00:00.000Z", "Europe/Zurich"],
  ["2026-10-25", "2026-10-24T22:00:00.000Z", "Europe/Zurich"],
  ["2026-10-26", "2026-10-25T23:00:00.000Z", "Europe/Zurich"],
  // Of a time that comes twice it is the first, of one that never comes the moment after the gap.
  ["2026-10-25T02:30", "2026-10-25T00:30:00.000Z", "Europe/Zurich"],
  // Midnight itself was skipped: the day began at one.
  ["2018-11-04", "2018-11-04T03:00:00.000Z", "America/Sao_Paulo"],
  ["2026-03-29T02:30", "2026-03-29T01:30:00.000Z", "Europe/Zurich"],
];

test("a date is its midnight in its zone, a time is itself, and an offset counts more than the zone", () => {
  for (const [text, instant, timeZone] of instants) {
    assertEquals(read(text, timeZone), instant, `${text} ${timeZone}`);
  }
});

test("what is no date or no time is refused", () => {
  const texts = ["", "yesterday", "2026-02-30", "2025-02-29", "2026-13-01", "2026-1-1", "20260131"];
  const times = ["24:00", "10:60", "10:00:60", "10:00:61", "10", "10:00:00.0001", "10:00[UTC]"];
  const dates = ["2026-01-31Z", "+002026-01-31", "-000001-01-01", "2026-W05-6", "2026-031"];
  const all = [...texts, ...dates, ...times.map((time) => `2026-01-31T${time}`)];
  for (const text of [...all, " 2026-01-31", "2026-01-31\n", "2026-01-31T10:00z"]) {
    const { message } = assertThrows(() => read(text), RangeError);
    assertEquals(
      message,
      "must be a date such as 2026-01-31 or a time such as 2026-01-31T08:30Z, got " +
        JSON.stringify(text),
    );
  }
  assertThrows(() => read("2026-01-31", "Mars/Olympus"), RangeError);
  for (const offset of ["+14:01", "-14:30", "+15:00", "+10:60", "-99:99"]) {
    const { message } = assertThrows(() => read(`2026-01-31T10:00${offset}`), RangeError);
    assertEquals(
      message,
      `must have an offset from -14:00 to +14:00, got ${JSON.stringify(offset)}`,
    );
  }
});

/** An output that keeps copies of its pieces, and is slow enough for a second write to be noticed. */
function pieces() {
  const taken: Uint8Array[] = [];
  let isWriting = false;
  const output: Pick<Output, "write"> = {
    async write(bytes) {
      assert(!isWriting, "a write began before the last had ended");
      isWriting = true;
      await Promise.resolve();
      taken.push(bytes.slice());
      isWriting = false;
    },
  };
  return { taken, output: output as Output };
}

const text = (taken: readonly Uint8Array[]) =>
  new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(taken));

test("what is added is written in order, in pieces of 64 KiB or more but the last", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.tuple(fc.constantFrom("a", "é", "👍", "行\r\n"), fc.integer({ min: 1, max: 120_000 })),
        {
          maxLength: 8,
        },
      ),
      async (parts) => {
        const { taken, output } = pieces();
        const buffer = new OutputBuffer(output);
        const texts = parts.map(([unit, count]) => unit.repeat(count));
        for (const one of texts) await buffer.add(one, 1);
        await buffer.flush();
        const whole = texts.join("");
        assertEquals(text(taken) === whole, true);
        assert(taken.slice(0, -1).every(({ length }) => length >= 65_536 && length <= 131_072));
        assertEquals(buffer.written, {
          rows: texts.length,
          bytes: new TextEncoder().encode(whole).length,
        });
      },
    ),
    { numRuns: 50 },
  );
});

test("rows count once all of them is written", async () => {
  const { output } = pieces();
  const buffer = new OutputBuffer(output);
  await buffer.add("a".repeat(10), 3);
  assertEquals(buffer.written, { rows: 0, bytes: 0 });
  await buffer.add("b".repeat(160_000), 5);
  assertEquals(buffer.written.rows, 3);
  await buffer.flush();
  assertEquals(buffer.written, { rows: 8, bytes: 160_010 });
});

test("bytes and texts of all sizes keep their order and are counted", async () => {
  const sizes = fc.oneof(
    fc.integer({ min: 1, max: 160_000 }),
    fc.constantFrom(1, 65_535, 65_536, 131_071, 131_072, 131_073),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.boolean(), sizes), { maxLength: 12 }),
      async (parts) => {
        const { taken, output } = pieces();
        const buffer = new OutputBuffer(output);
        const texts = parts.map(([, size], index) => String.fromCharCode(97 + index).repeat(size));
        for (const [index, one] of texts.entries()) {
          if (!parts[index]![0]) await buffer.add(one, 1);
          else {
            const bytes = new TextEncoder().encode(one);
            await buffer.addBytes(bytes, 1);
            // Whoever gave them may use their memory again.
            bytes.fill(0);
          }
        }
        await buffer.flush();
        const whole = texts.join("");
        assertEquals(text(taken) === whole, true);
        assertEquals(buffer.written, { rows: texts.length, bytes: whole.length });
        assert(taken.slice(0, -1).every(({ length }) => length > 0));
      },
    ),
    { numRuns: 100 },
  );
});

const compare = (one: TimedRow, other: TimedRow) =>
  one.sentAtMs - other.sentAtMs || Number(one.id) - Number(other.id);

/** Conversations, each with the times of its messages; times are few, so that many are equal. */
const conversations = fc.array(fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 6 }), {
  maxLength: 12,
});

test("rows come in order of time, then id, whatever conversations they are of", () => {
  fc.assert(
    fc.property(conversations, fc.infiniteStream(fc.nat()), (all, numbers) => {
      const used = new Set<number>();
      const nextId = () => {
        let { value } = numbers.next() as { value: number };
        while (used.has(value)) value++;
        used.add(value);
        return value;
      };
      const runs = all.map((times) =>
        times.map((sentAtMs): TimedRow => ({ sentAtMs, id: nextId(), row: [] })).sort(compare)
      ).sort((one, other) => one[0]!.sentAtMs - other[0]!.sentAtMs);
      const order = new TimeOrder();
      const rows: TimedRow[] = [];
      for (const run of runs) {
        const startedAtMs = run[0]!.sentAtMs;
        for (const row of order.takeBefore(startedAtMs)) rows.push(row);
        // Nothing that could go was kept back.
        assertEquals(rows.every((row) => row.sentAtMs < startedAtMs), true);
        assertEquals(
          rows.length,
          runs.slice(0, runs.indexOf(run)).flat().filter((row) => row.sentAtMs < startedAtMs)
            .length,
        );
        order.add(run);
      }
      rows.push(...order.takeBefore(Infinity));
      assertEquals(rows, runs.flat().sort(compare));
    }),
    { numRuns: 500 },
  );
});

test("an order given up half-way goes on where it was", () => {
  const order = new TimeOrder();
  order.add([1, 2, 3].map((sentAtMs) => ({ sentAtMs, id: sentAtMs, row: [] })));
  order.add([]);
  for (const row of order.takeBefore(3)) {
    assertEquals(row.id, 1);
    break;
  }
  assertEquals([...order.takeBefore(3)].map(({ id }) => id), [2]);
  assertEquals([...order.takeBefore(4)].map(({ id }) => id), [3]);
});

function show(
  isTTY: boolean,
  updates: readonly [atMs: number, rows: number, at: number | undefined][],
  whole: ProgressSpan = { span: { from: 0, to: 1_000 } },
) {
  const written: string[] = [];
  let nowMs = 1_000;
  const stream = { isTTY, write: (text: string) => written.push(text) };
  const progress = new ExtractProgress(stream, whole, () => nowMs);
  for (const [atMs, rows, at] of updates) {
    nowMs = 1_000 + atMs;
    progress.update(rows, rows * 2_048, at);
  }
  progress.clear();
  return written;
}

test("a terminal sees one line, at most five times a second, which then goes away", () => {
  assertEquals(show(true, [[100, 10, 1], [500, 100, 250], [600, 200, 300], [800, 400, 500]]), [
    "\r\x1b[2K100 rows, 200 KiB, 200 rows/s, 25 %, 2 s left",
    "\r\x1b[2K400 rows, 800 KiB, 500 rows/s, 50 %, 1 s left",
    "\r\x1b[2K",
  ]);
});

test("what is no terminal gets lines, every other second", () => {
  assertEquals(show(false, [[1_999, 10, 1], [2_000, 100, 0], [4_000, 200, 20]]), [
    "100 rows, 200 KiB, 50 rows/s, 0 %, ? left\n",
    "200 rows, 400 KiB, 50 rows/s, 2 %, 3 min 16 s left\n",
  ]);
});

test("what ends before it is time shows nothing", () => {
  assertEquals(show(true, [[199, 10, 1]]), []);
});

test("rows that are expected tell the share where there is no span; without either there is none", () => {
  assertEquals(
    show(true, [[1_000, 1_000, 3]], { expectedRows: 4_000 })[0],
    "\r\x1b[2K1000 rows, 2.0 MiB, 1000 rows/s, 25 %, 3 s left",
  );
  assertEquals(
    show(true, [[1_000, 1_000, undefined]], {})[0],
    "\r\x1b[2K1000 rows, 2.0 MiB, 1000 rows/s",
  );
});
