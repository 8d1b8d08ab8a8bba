import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import * as fc from "fast-check";
import {
  type KafkaDelivery,
  KafkaPartition,
  readKafkaNotes,
} from "../../../src/queue/adapters/kafka_partition.ts";
import { draws, firstSeedOf } from "../../lib/thorough.ts";

const window = 8;
const keys = ["a", "b", "c", undefined];
const encoder = new TextEncoder();

const step = fc.oneof(
  fc.record({ act: fc.constant("fetch" as const), count: fc.integer({ min: 1, max: 6 }) }),
  fc.record({
    ...{ act: fc.constant("take" as const), count: fc.integer({ min: 1, max: 5 }) },
    isAhead: fc.boolean(),
  }),
  fc.record({ act: fc.constantFrom("count" as const, "note" as const, "drop" as const) }),
  fc.record({
    act: fc.constantFrom("settle" as const, "fail" as const, "nack" as const),
    which: fc.nat(),
  }),
  fc.record({
    act: fc.constant("move" as const),
    isGivenUp: fc.boolean(),
    mostLength: fc.oneof(fc.constant(4_000), fc.integer({ min: 9, max: 30 })),
  }),
);

test("a partition of Kafka: however it is worked on, and whoever has it next, nothing is lost or out of order", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...keys), { minLength: 1, maxLength: 30 }),
      fc.array(step, { maxLength: 80 }),
      (keysOf, steps) => {
        // Each third offset is missing, as in a topic that is compacted.
        const log = keysOf.map((key, index) => ({
          key: key === undefined ? null : encoder.encode(key),
          value: encoder.encode(`${index}`),
          offset: `${index + Math.floor(index / 2)}`,
        }));
        const settled = new Set<number>();
        let partition = new KafkaPartition("t", 0, window);
        partition.begin(-1, undefined);
        let held: KafkaDelivery[] = [];
        const handedOver = new Map<number, number>();
        const fetch = (count: number) => {
          const from = log.findIndex(({ offset }) => Number(offset) >= partition.position!);
          if (from >= 0) partition.add(log.slice(from, from + count));
        };
        const noted = new Set<number>();
        const countAhead = (act: "count" | "note" | "drop") => {
          if (act === "count") partition.countAhead(3);
          else if (act === "drop") partition.dropAhead();
          else {
            const { counts } = readKafkaNotes(partition.note(false, 4_000), partition.base);
            for (const offset of counts.keys()) noted.add(offset);
            partition.noteAhead();
          }
        };
        const take = (max: number, isAhead = false) => {
          const { base } = partition;
          const found = partition.take({
            ...{ max, fits: () => true, leaseMs: 1e9, format: "text" as const },
            isAhead,
          });
          for (const { entry, deliveries, failures, isNoted } of found) {
            assert(!isAhead || isNoted || deliveries > 1, "what is new is taken if it is noted");
            assert(!isNoted || noted.has(entry.offset), "what is noted is so by a commit");
            assert(!settled.has(entry.offset), "nothing that is settled");
            assert(entry.offset < base + window, "nothing beyond the window");
            const { key } = entry;
            const before = log.filter(({ offset }, index) =>
              key !== undefined && keysOf[index] === key && Number(offset) < entry.offset
            );
            assert(before.every(({ offset }) => settled.has(Number(offset))), "the order of a key");
            assert(deliveries > failures, "each failure is of a delivery");
            handedOver.set(entry.offset, (handedOver.get(entry.offset) ?? 0) + 1);
          }
          held.push(...found);
        };
        const act = (which: number, settle: boolean, isFailure: boolean) => {
          const [one] = held.splice(which % held.length, 1);
          if (one === undefined) return;
          if (settle) {
            settled.add(one.entry.offset);
            partition.settle(one);
          } else {
            partition.release(one);
            one.entry.dueAt = 0;
            if (isFailure) one.entry.failures++;
            else one.entry.deliveries--;
          }
        };
        const move = (isGivenUp: boolean, mostLength: number) => {
          if (isGivenUp) partition.dropAhead();
          const { base, ahead } = partition;
          const all = log.map(({ offset }) => Number(offset));
          assert(all.every((offset) => offset >= base || settled.has(offset)), "the commit");
          const note = partition.note(isGivenUp, mostLength);
          assert(note.length <= Math.max(mostLength, "hosepipe1".length));
          const notes = readKafkaNotes(note, base);
          for (const offset of notes.settled) {
            assert(!all.includes(offset) || settled.has(offset), "what is noted as settled");
          }
          const isWhole = mostLength > 1_000;
          if (isWhole) {
            for (const offset of settled) {
              assert(offset < base || notes.settled.has(offset), "what is settled is noted");
            }
            assertEquals(notes.held, isGivenUp ? 0 : held.length + ahead);
            for (const { entry, deliveries } of held) {
              const { deliveries: noted = 0, failures = 0 } = notes.counts.get(entry.offset) ?? {};
              assertEquals([noted, failures], [deliveries - Number(isGivenUp), entry.failures]);
            }
          }
          // What the next owner does not know it does again.
          for (const offset of [...settled]) {
            if (offset >= base && !notes.settled.has(offset)) settled.delete(offset);
          }
          partition = new KafkaPartition("t", 0, window);
          partition.begin(base, note);
          held = [];
        };
        for (const one of steps) {
          if (one.act === "fetch") fetch(one.count);
          else if (one.act === "take") take(one.count, one.isAhead);
          else if (one.act === "move") move(one.isGivenUp, one.mostLength);
          else if ("which" in one) act(one.which, one.act === "settle", one.act === "fail");
          else countAhead(one.act);
        }
        for (let round = 0; settled.size < log.length; round++) {
          assert(round < 1_000, "all can be settled");
          fetch(5);
          take(3);
          while (held.length > 0) act(0, true, false);
        }
        assertEquals(partition.base > Number(log.at(-1)!.offset), true);
        assertEquals(handedOver.size, log.length);
      },
    ),
    { numRuns: draws(300), seed: firstSeedOf(300) },
  );
});

test("what another program has noted beside an offset is no note", () => {
  for (const text of [null, undefined, "", "s5", "hosepipe", "hosepipe2 s5"]) {
    assertEquals(readKafkaNotes(text, 7), {
      ...{ settled: new Set<number>(), counts: new Map(), held: 0, end: 7 },
    });
  }
});
