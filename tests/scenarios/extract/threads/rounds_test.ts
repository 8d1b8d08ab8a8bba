import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { Rounds } from "../../../../scenarios/extract/extract.ts";

const nobodyWaits = { waitedMs: 0, stalledMs: 0 };

/** The lengths of the parts of the next round. */
const lengths = (rounds: Rounds) => rounds.next().map(({ from, to }) => to - from);

test("parts follow each other from the first instant to the last, whatever is told of them", () => {
  fc.assert(
    fc.property(
      ...[fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 1, max: 3 })] as const,
      fc.infiniteStream(fc.tuple(fc.nat(1_000), fc.nat(2), fc.nat(2))),
      (lengthMs, otherThreads, told) => {
        const period = { from: 7, to: 7 + lengthMs };
        const rounds = new Rounds(period, otherThreads, 100);
        let edge = period.from;
        for (const [bytes, waitedMs, stalledMs] of told) {
          const parts = rounds.next();
          if (parts.length === 0) break;
          assert(parts.length <= otherThreads + 1);
          for (const { from, to } of parts) {
            assertEquals(from, edge);
            assert(to > from);
            edge = to;
          }
          rounds.note(bytes, { waitedMs, stalledMs });
        }
        assertEquals(edge, period.to);
        assertEquals(rounds.next(), []);
      },
    ),
  );
});

test("parts of too many bytes shrink, parts of too few grow, neither by more than four times", () => {
  const rounds = new Rounds({ from: 0, to: 2_560_000 }, 1, 100);
  assertEquals(lengths(rounds)[1], 10_000);
  rounds.note(200, nobodyWaits);
  assertEquals(lengths(rounds)[1], 5_000);
  rounds.note(0, nobodyWaits);
  assertEquals(lengths(rounds)[1], 20_000);
  rounds.note(1_000_000, nobodyWaits);
  assertEquals(lengths(rounds)[1], 5_000);
});

test("the part of this thread grows while it waits for others, and shrinks while they wait for it", () => {
  const rounds = new Rounds({ from: 0, to: 2_560_000 }, 1, 100);
  assertEquals(lengths(rounds), [10_000, 10_000]);
  rounds.note(100, { waitedMs: 1, stalledMs: 0 });
  assertEquals(lengths(rounds), [11_000, 10_000]);
  rounds.note(100, { waitedMs: 0, stalledMs: 1 });
  assertEquals(lengths(rounds), [9_900, 10_000]);
});
