import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  conversationSelection,
  defaultConversationTitles,
} from "../../../../scenarios/extract/conversations.ts";
import { createFormat } from "../../../../scenarios/extract/formats/create_format.ts";
import type { RowBatch, RowSource } from "../../../../scenarios/extract/source.ts";
import { seedContacts } from "../../../../scenarios/extract/seed/seed_contacts.ts";
import { makeEach, toPiece } from "../../../../scenarios/extract/to_piece.ts";
import {
  openThreads,
  type PartEnd,
  readByThreads,
  type ReaderThread,
} from "../../../../scenarios/extract/extract.ts";
import type { ThreadSettings } from "../../../../scenarios/extract/threads/thread_messages.ts";
import {
  extractDefaults,
  extractText,
  openConversations,
  seededPeriod,
  withSqlite,
} from "../_helpers.ts";

const contacts = [...seedContacts({ contacts: 40, days: 30, seed: 2 })];
const { batchSize, projection } = extractDefaults;
const format = { format: "csv", titles: defaultConversationTitles } as const;
const span = { from: seededPeriod.fromMs, to: seededPeriod.toMs };
const selection = conversationSelection(seededPeriod);

/** Gives a seeded file, after `change`, and threads that read it, to `use`. */
async function withThreads(
  options: { change?: string; count: number } & Partial<ThreadSettings>,
  use: (source: RowSource, threads: readonly ReaderThread[]) => Promise<void>,
): Promise<void> {
  const { change = "", count, ...settings } = options;
  await withSqlite(contacts, change, async (address) => {
    const source = await openConversations(address);
    const threads = await openThreads({
      ...{ address, selection, format, batchSize, projection },
      ...{ onBadRow: "fail", aheadBytes: 2_048 },
      ...settings,
    }, count);
    try {
      assertEquals(threads.length, count);
      await use(source, threads);
    } finally {
      await Promise.all(threads.map((thread) => thread.close()));
      await source.close();
    }
  });
}

/** Reads everything, and tells which rows came from where. */
async function readAll(
  source: RowSource,
  threads: readonly ReaderThread[],
  onPartEnd: (end: PartEnd) => void = () => {},
) {
  const rowFormat = createFormat(format);
  const rows = { here: 0, elsewhere: 0 };
  let text = rowFormat.header();
  const pieces = readByThreads({
    ...{ span, threads, onPartEnd, partBytes: 1_024 },
    read(part, isFirst) {
      const options = { part, isFirst, batchSize, projection, onRow() {}, onBadRow() {} };
      const batches = source.read(options) as Iterable<RowBatch>;
      return makeEach(batches, (batch) => toPiece(rowFormat, batch));
    },
  });
  for await (const piece of pieces) {
    if (typeof piece.text === "string") {
      rows.here += piece.rows;
      text += piece.text;
    } else {
      rows.elsewhere += piece.rows;
      text += new TextDecoder().decode(piece.text as Uint8Array);
      piece.release!();
    }
  }
  return { rows, text };
}

for (const count of [1, 3]) {
  test(`with ${count} more the bytes are those of one thread alone, and each reads`, () =>
    withThreads({ count }, async (source, threads) => {
      const { rows, text } = await readAll(source, threads);
      assertEquals(text === await extractText(source), true);
      assert(rows.here > 0 && rows.elsewhere > 0, JSON.stringify(rows));
    }));
}

test("a thread stops at its bound until its bytes are released", () =>
  withThreads({ count: 1, batchSize: 1, aheadBytes: 1 }, async (source, threads) => {
    const { text } = await readAll(source, threads);
    assertEquals(text === await extractText(source), true);
    const thread = threads[0]!;
    thread.deal(span);
    const pieces = thread.take();
    let result = await pieces.next();
    for (; !result.done; result = await pieces.next()) result.value.release!();
    assert(result.value.stalledMs > 0, "it did not wait");
  }));

/** No text is read, so that all are bad. */
const invalid = "UPDATE messages SET text = CAST(x'ff' AS TEXT)";

test("what a thread leaves out is counted with its reason, and with what it has read", () =>
  withThreads(
    { count: 1, change: invalid, onBadRow: "skip" },
    async (source, threads) => {
      const all: PartEnd[] = [];
      const { rows } = await readAll(source, threads, (end) => all.push(end));
      assertEquals(rows, { here: 0, elsewhere: 0 });
      const some = all.find(({ read }) => read > 0)!;
      assertEquals(some.skipped.length, 1);
      const [{ reason, count, first }] = some.skipped as [(typeof some.skipped)[number]];
      assertEquals([reason, count], ["text is text that is not valid", some.read]);
      assert(/^row message=\d+$/.test(first), first);
    },
  ));

test("a bad row ends the reading where it stands", () =>
  withThreads(
    { count: 1, change: invalid },
    async (source, threads) => {
      const error = await assertRejects(() => readAll(source, threads));
      assertEquals((error as Error).name, "BadRowError");
    },
  ));

test("threads that cannot open the source are none", () =>
  withThreads({ count: 1 }, async ({ name }, threads) => {
    const settings = { address: `${name}-not-there`, selection, format, batchSize, projection };
    const none = await openThreads({ ...settings, onBadRow: "fail", aheadBytes: 1 }, 2);
    assertEquals([none.length, threads.length], [0, 1]);
  }));

test("a thread that is closed while it is waited for says so", () =>
  withThreads({ count: 1 }, async (_, threads) => {
    const waiting = threads[0]!.take().next();
    await Promise.all([
      assertRejects(() => waiting, Error, "the threads that read were closed"),
      threads[0]!.close(),
    ]);
  }));
