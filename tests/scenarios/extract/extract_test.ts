import { createHash } from "node:crypto";
import { join } from "node:path";
import { test } from "node:test";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { extract } from "../../../scenarios/extract/extract.ts";
import type {
  CursorOptions,
  Period,
  RowBatch,
  RowSource,
} from "../../../scenarios/extract/source.ts";
import { type SeedContact, seedContacts } from "../../../scenarios/extract/seed/seed_contacts.ts";
import { seedSource } from "../../../scenarios/extract/seed/command.ts";
import { isThorough } from "../../lib/thorough.ts";
import {
  extractDefaults,
  extractText,
  failureOf,
  inFolder,
  memoryOutput,
  mongodbTest,
  openConversations,
  postgresTest,
  seededPeriod,
} from "./_helpers.ts";

const seed = { contacts: 150, days: 30, seed: 1 };
const everybody = [...seedContacts(seed)];
/** Without the one with 5,000 messages, whom some servers take their time for. */
const quiet = everybody.filter(({ conversations }) =>
  conversations.every(({ messages }) => messages.length < 100)
);
/** As many as FerretDB, which reads all of a collection for each batch, can be asked for many times. */
const few = quiet.slice(0, 40);
/** Of the CSV of contacts; the same in every runtime. */
const digests = {
  everybody: "5ec79820a68f453ec1ffd9d2b31cf49e9445617cdb21f37643cb79aa28bba0e9",
  few: "98fba502671c7490c023a4c976895e07539efaa0b66ffd28321f7601cdbd7115",
  quiet: "0638bd031a30e9ee10b46e992d645b5b17b30f2c4fcf14489ebb85d8122f3518",
};

const digestOf = (text: string) => createHash("sha256").update(text).digest("hex");

/** The same rows by the plainest of means. */
function expectedRows(contacts: readonly SeedContact[]): { messageId: number; sentAtMs: number }[] {
  const rows: { messageId: number; sentAtMs: number }[] = [];
  for (const { conversations } of contacts) {
    for (const { messages } of conversations) {
      for (const { id: messageId, sentAtMs } of messages) rows.push({ messageId, sentAtMs });
    }
  }
  return rows.sort((one, other) =>
    one.sentAtMs - other.sentAtMs || one.messageId - other.messageId
  );
}

async function testEquality(address: string, seeded: "few" | "quiet"): Promise<void> {
  const contacts = { few, quiet }[seeded];
  await seedSource(address, contacts);
  await using source = await openConversations(address);
  assertEquals(await source.warnings(), []);
  const rows = expectedRows(contacts);
  await using onlyIds = await openConversations(address, ["message_id"]);
  const ids = await extractText(onlyIds);
  assertEquals(ids.split("\r\n").slice(1, -1).map(Number), rows.map((row) => row.messageId));
  const isServer = !address.startsWith("sqlite:");
  for (const batchSize of isServer ? [7, 1_000] : [1, 7, 1_000]) {
    for (const partitions of isServer ? [1, 8] : [1, 3, 8]) {
      const projection = batchSize !== 7;
      const text = await extractText(source, { batchSize, partitions, projection });
      assertEquals(
        digestOf(text),
        digests[seeded],
        `${batchSize} rows, ${partitions} partitions`,
      );
    }
  }
}

async function testEverybody(address: string): Promise<void> {
  await seedSource(address, everybody);
  await using source = await openConversations(address);
  const text = await extractText(source, { partitions: 3 });
  assertEquals(text.split("\r\n").length - 2 > 5_000, true);
  assertEquals(digestOf(text), digests.everybody);
}

async function testPeriod(address: string): Promise<void> {
  await seedSource(address, quiet);
  const read = async (period: Period, partitions: number) => {
    await using source = await openConversations(address, ["message_id"], period);
    return await extractText(source, { partitions });
  };
  const rows = expectedRows(quiet);
  const [first, last] = [rows[200]!, rows[700]!];
  const period = { fromMs: first.sentAtMs, toMs: last.sentAtMs };
  const expected = rows.filter(({ sentAtMs }) =>
    sentAtMs >= period.fromMs && sentAtMs < period.toMs
  );
  assert(expected.length > 450 && expected.length < 550);
  for (const partitions of [1, 5]) {
    const text = await read(period, partitions);
    assertEquals(
      text.split("\r\n").slice(1, -1).map(Number),
      expected.map((row) => row.messageId),
    );
  }
  assertEquals(await read({ fromMs: 0, toMs: 1_000 }, 1), "message_id\r\n");
}

async function testAbort(address: string): Promise<void> {
  await seedSource(address, few);
  await using source = await openConversations(address);
  const controller = new AbortController();
  const { signal } = controller;
  const reason = new Error("enough");
  const output = memoryOutput(() => controller.abort(reason));
  assert(await failureOf(source, { partitions: 3, signal }, output) === reason);
}

/** Registers a test for each kind of source. */
function forEachSource(title: string, run: (address: string) => Promise<void>): void {
  test(`SQLite: ${title}`, () => inFolder((folder) => run(`sqlite:${join(folder, "a.sqlite")}`)));
  mongodbTest(`MongoDB: ${title}`, run);
  postgresTest(`PostgreSQL: ${title}`, run);
}

forEachSource(
  "the same bytes for every batch size, partition count, source and runtime",
  async (address) => {
    const isMongo = address.startsWith("mongodb:");
    await testEquality(address, isMongo && !isThorough ? "few" : "quiet");
  },
);
forEachSource("so it is with a contact of 5,000 messages", testEverybody);
forEachSource("the period's first instant is in it, its last is not", testPeriod);
forEachSource("an abort discards the output and leaves no cursor open", testAbort);

test("few contacts in SQLite give the bytes that they give elsewhere", () =>
  inFolder((folder) => testEquality(`sqlite:${join(folder, "b.sqlite")}`, "few")));

test("an abort while the last of the output is written, after all is read, discards it too", () =>
  inFolder(async (folder) => {
    const address = `sqlite:${join(folder, "a.sqlite")}`;
    await seedSource(address, quiet.slice(0, 3));
    await using source = await openConversations(address);
    const controller = new AbortController();
    const reason = new Error("late");
    let writes = 0;
    const output = memoryOutput(() => {
      writes++;
      controller.abort(reason);
    });
    assert(await failureOf(source, { signal: controller.signal }, output) === reason);
    assertEquals(writes, 1);
  }));

/** A source of numbered rows that counts what is read of each part. */
function countingSource(
  rowsPerPart: number,
  fullParts = Infinity,
): RowSource & { readonly read_: number[] } {
  const read: number[] = [];
  let open = 0;
  return {
    ...{ name: "numbers", titles: ["text"], key: [], read_: read },
    span: { from: seededPeriod.fromMs, to: seededPeriod.toMs },
    get openCursors() {
      return open;
    },
    warnings: () => Promise.resolve([]),
    reportUnplaced: () => Promise.resolve(),
    close: () => Promise.resolve(),
    async *read({ part, batchSize, onRow }: CursorOptions): AsyncGenerator<RowBatch> {
      const index = read.push(0) - 1;
      open++;
      try {
        for (let id = 0; index < fullParts && id < rowsPerPart; id += batchSize) {
          await null;
          read[index]!++;
          for (let count = 0; count < batchSize; count++) onRow();
          const rows = Array.from({ length: batchSize }, () => ["x".repeat(100)]);
          yield { rows, bytes: 100 * batchSize, at: part!.from, isLarge: false };
        }
      } finally {
        open--;
      }
    },
  };
}

test("parts are read ahead by their high-water mark and no further", async () => {
  const source = countingSource(20_000, 4);
  const seen: number[][] = [];
  const gate = Promise.withResolvers<void>();
  const output = memoryOutput(() => {
    seen.push([...source.read_]);
    return seen.length === 1 ? gate.promise : undefined;
  });
  const running = extract({
    ...extractDefaults,
    ...{ source, output, partitions: 4, batchSize: 1_000, highWaterMark: 3 },
  });
  // A stalled output: everybody reads until the buffers are full, then nobody does.
  let before = "";
  for (let quiet = 0; quiet < 20;) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    quiet = before === String(source.read_) ? quiet + 1 : 0;
    before = String(source.read_);
  }
  // Three pieces of 256 KiB are eight batches of 100,000 bytes, the last of which overfills them.
  assertEquals(source.read_.slice(1), [8, 8, 8]);
  assertEquals(source.openCursors, 4);
  // One is being written, and one more may be on its way.
  const ahead = source.read_[0]! - 1;
  assert(ahead >= 8 && ahead <= 10, `${ahead} batches ahead`);
  gate.resolve();
  const { rows } = await running;
  assertEquals([output.state, source.openCursors], ["committed", 0]);
  assertEquals(rows, 80_000);
});

test("an output that fails ends the reading and says how many rows it has", async () => {
  const source = countingSource(100_000);
  let writes = 0;
  const full = Object.assign(new Error("ENOSPC: whatever"), { code: "ENOSPC", syscall: "write" });
  const output = memoryOutput(() => {
    if (++writes === 3) throw full;
  });
  const error = await failureOf(source, { partitions: 2 }, output);
  const rows = output.text().split("\r\n").length - 2;
  assert(rows > 200);
  assertEquals(
    error.message,
    `Cannot write memory: no space left on the device; ${rows} rows were written`,
  );
  assertEquals([error.rows, error.cause === full, source.openCursors], [rows, true, 0]);
});

test("a reader that goes away is an end, not an error", async () => {
  const source = countingSource(100_000);
  let writes = 0;
  const output = memoryOutput(() => {
    if (++writes === 2) throw Object.assign(new Error("EPIPE"), { code: "EPIPE" });
  });
  const result = await extract({ ...extractDefaults, source, output });
  assertEquals(result.isCutShort, true);
  assertEquals(result.rows, output.text().split("\r\n").length - 2);
  assertEquals([output.state, source.openCursors], ["discarded", 0]);
});

test("a source that throws undefined is a failure too", async () => {
  const source = {
    ...countingSource(10),
    read: () => ({
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(undefined) }),
    }),
  } as unknown as RowSource;
  const { message } = await failureOf(source);
  assertStringIncludes(message, "Cannot read numbers: undefined; 0 rows were written");
});

test("rows that are neither written nor skipped fail the run", async () => {
  const source = countingSource(100);
  const read = source.read.bind(source);
  // Its cursor counts a row that it then loses.
  const losing = {
    ...source,
    read(options: CursorOptions) {
      options.onRow();
      return read(options);
    },
  };
  const { message, rows } = await failureOf(losing);
  assertStringIncludes(message, "101 rows were read, but 100 written and 0 skipped");
  assertEquals(rows, 100);
});

test("a source that gives nothing is given up after its time", async () => {
  const source = {
    ...countingSource(10),
    async *read(): AsyncGenerator<RowBatch> {
      yield { rows: [["a"]], bytes: 1, at: undefined, isLarge: false };
      await new Promise(() => {});
    },
  };
  for (const partitions of [1, 2]) {
    const { message } = await failureOf(source, { partitions, timeoutMs: 50 });
    assertStringIncludes(message, "numbers gave nothing for 0.05 s (see --timeout)");
  }
});

test("progress is told rows and the time of the last, in rising order", () =>
  inFolder(async (folder) => {
    const address = `sqlite:${join(folder, "a.sqlite")}`;
    await seedSource(address, quiet);
    await using source = await openConversations(address);
    const told: [number, number][] = [];
    const output = memoryOutput();
    const onProgress = (rows: number, _: number, lastMs: number | undefined) =>
      void told.push([rows, lastMs!]);
    const { rows } = await extract({
      ...extractDefaults,
      ...{ source, output, partitions: 2, onProgress },
    });
    assertEquals(told.at(-1)![0], rows);
    assert(
      told.every(([count, lastMs], index) =>
        index === 0 || (count > told[index - 1]![0] && lastMs >= told[index - 1]![1])
      ),
    );
    assert(told.every(([, lastMs]) => lastMs >= seededPeriod.fromMs && lastMs < seededPeriod.toMs));
  }));
