import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { virtualTime } from "@hosepipe/streams/testing";
import { errorOf } from "../lib/error_of.ts";
import { draws } from "../lib/thorough.ts";
import { unhandledDuring } from "../lib/unhandled_during.ts";
import type { DeadLetter, RowsImport, Sale } from "./_rows_import.ts";
import { importRows } from "./rows_import.ts";
import { importRows as importRowsByHand } from "./rows_import_by_hand.ts";

const programs: Record<string, RowsImport> = {
  "with stages": importRows,
  "by hand": importRowsByHand,
};

const many = draws(8_000);
const shopCount = 50;
const encoder = new TextEncoder();

/** Whether line `n` is one that cannot be imported, of three kinds. */
function isBad(n: number): boolean {
  return n % 101 === 7;
}

function lineOf(n: number): string {
  const shop = `shop ${n * 7919 % shopCount}`;
  if (!isBad(n)) return JSON.stringify({ shop, item: `ü ${n}`, cents: n });
  return [`{"shop": "${shop}"`, `{"shop": "${shop}", "item": "x", "cents": 1.5}`, "null"][n % 3]!;
}

/** A file of so many lines, cut where it happens; it notes how far it was read and how it ended. */
class File {
  read = 0;
  ending: unknown = "open";
  readonly #count: number;

  constructor(count: number) {
    this.#count = count;
  }

  open(failsAt = Infinity): ReadableStream<Uint8Array> {
    let rest = new Uint8Array();
    return new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (this.read >= failsAt) {
          this.ending = "failed";
          return controller.error("the disk");
        }
        if (this.read >= this.#count) {
          if (rest.length > 0) controller.enqueue(rest);
          this.ending = "closed";
          return controller.close();
        }
        let text = "";
        for (let n = 0; n < 100 && this.read < this.#count; n++) text += `${lineOf(this.read++)}\n`;
        const bytes = encoder.encode(text);
        const block = new Uint8Array(rest.length + bytes.length - 9);
        block.set(rest);
        block.set(bytes.subarray(0, -9), rest.length);
        rest = bytes.subarray(-9);
        controller.enqueue(block);
      },
      cancel: (reason) => void (this.ending = ["cancelled", reason]),
    }, { highWaterMark: 0 });
  }
}

/** A store that keeps sums and notes the most calls at a time, and two of one shop at a time. */
class Store {
  readonly rows = new Map<string, { count: number; cents: number; last: number }>();
  readonly letters: DeadLetter[] = [];
  readonly progress: number[] = [];
  open = 0;
  most = 0;
  calls = 0;
  readonly #busy = new Set<string>();
  readonly #failsAt: number;

  constructor(failsAt = Infinity) {
    this.#failsAt = failsAt;
  }

  readonly store = async (shop: string, rows: readonly Sale[]): Promise<number> => {
    const call = this.calls++;
    assert(!this.#busy.has(shop), `${shop} twice at a time`);
    this.#busy.add(shop);
    this.most = Math.max(this.most, ++this.open);
    try {
      for (let n = call % 5; n > 0; n--) await undefined;
      if (call === this.#failsAt) throw new Error("no such table");
      if (call % 17 === 3) throw new Error("busy");
      const known = this.rows.get(shop) ?? { count: 0, cents: 0, last: -1 };
      for (const { cents } of rows) {
        assert(cents > known.last, "the order of a shop's rows");
        known.count++;
        known.cents += cents;
        known.last = cents;
      }
      this.rows.set(shop, known);
      return rows.length;
    } finally {
      this.#busy.delete(shop);
      this.open--;
    }
  };

  readonly keepDeadLetter = async (letter: DeadLetter): Promise<void> => {
    await undefined;
    this.letters.push(letter);
  };

  get sums(): unknown {
    return [...this.rows].sort(([one], [other]) => one < other ? -1 : 1);
  }
}

interface Given {
  readonly fileFailsAt?: number;
  readonly storeFailsAt?: number;
  readonly abortsAt?: number;
  readonly letterFails?: boolean;
}

async function run(program: RowsImport, count: number, given: Given = {}) {
  await using time = virtualTime();
  const file = new File(count);
  const store = new Store(given.storeFailsAt);
  const stop = new AbortController();
  let result: unknown;
  const ending = await time.run(
    errorOf((async () => {
      result = await program(file.open(given.fileFailsAt), {
        store: store.store,
        keepDeadLetter: given.letterFails
          ? () => Promise.reject(new Error("no room for letters"))
          : store.keepDeadLetter,
        onProgress: (stored) => {
          if (store.progress.push(stored) === given.abortsAt) stop.abort("enough");
        },
        ...{ batchSize: 100, maxShops: 20, concurrency: 4, signal: stop.signal },
      });
    })()),
    { maxTimers: 10_000_000 },
  );
  await time.advance(60_000);
  assertEquals([store.open, time.timers], [0, 0], "a call or a timer is left");
  assert(store.most <= 4, `${store.most} at a time`);
  return { result, ending: ending === "none" ? ending : [String(ending[0])], file, store };
}

test(`an import, both programs: ${many} rows by shop, what is wrong elsewhere, with progress`, async () => {
  const bad = Array.from({ length: many }, (_, n) => n).filter(isBad);
  let first: unknown;
  for (const [name, program] of Object.entries(programs)) {
    const { result, ending, file, store } = await run(program, many);
    assertEquals(ending, "none", name);
    assertEquals(result, { stored: many - bad.length, deadLetters: bad.length });
    assertEquals(
      store.letters.map(({ line, text }) => [line, text]),
      bad.map((n) => [n, lineOf(n)]),
    );
    assertEquals(store.progress.at(-1), many - bad.length);
    assertEquals(store.progress, [...store.progress].sort((one, other) => one - other));
    assertEquals(file.ending, "closed");
    assertEquals(store.most, 4);
    const seen = [store.sums, store.letters, store.progress];
    first ??= seen;
    assertEquals(seen, first);
  }
});

test("an import, both programs: an empty file", async () => {
  for (const program of Object.values(programs)) {
    const { result, store } = await run(program, 0);
    assertEquals([result, store.calls], [{ stored: 0, deadLetters: 0 }, 0]);
  }
});

const failures: Record<string, [Given, string]> = {
  "the file fails": [{ fileFailsAt: 2000 }, "the disk"],
  "the store fails": [{ storeFailsAt: 25 }, "Error: no such table"],
  "a letter cannot be kept": [{ letterFails: true }, "Error: no room for letters"],
  "a signal aborts": [{ abortsAt: 10 }, "enough"],
};

for (const [name, [given, reason]] of Object.entries(failures)) {
  test(`an import, both programs: ${name}`, async () => {
    const unhandled = await unhandledDuring(async () => {
      for (const program of Object.values(programs)) {
        const { ending, file, store } = await run(program, 20_000, given);
        assertEquals(ending, [reason]);
        assert(file.ending !== "open" && file.ending !== "closed", String(file.ending));
        assert(file.read < 20_000, `${file.read} lines`);
        if (given.abortsAt !== undefined) assertEquals(store.progress.length, given.abortsAt);
      }
    });
    assertEquals(unhandled, []);
  });
}
