import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { Slices } from "../../../scenarios/extract/extract.ts";

test("slices follow each other from the first number to the last, whatever they have given", () => {
  fc.assert(
    fc.property(
      ...[fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 1, max: 16 })] as const,
      fc.infiniteStream(fc.nat(100_000)),
      (length, cursors, given) => {
        const span = { from: -7, to: length - 7 };
        const slices = new Slices(span, cursors, 1_000);
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
  const slices = new Slices({ from: 0, to: 1_000_000 }, 5, 100);
  const next = (bytes: number) => {
    const slice = slices.next()!;
    slices.note(slice, bytes);
    return slice.to - slice.from;
  };
  assertEquals([200, 1_000_000, 0, 100, 100].map(next), [100_000, 50_000, 12_500, 50_000, 50_000]);
});
