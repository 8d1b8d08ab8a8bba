import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { SizeLedger } from "../../src/inspect/size_ledger.ts";
import { seededRandom } from "../../bench/results/seeded_random.ts";

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
