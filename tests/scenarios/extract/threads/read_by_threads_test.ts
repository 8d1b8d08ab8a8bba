import { test } from "node:test";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { csvFormat } from "../../../../scenarios/extract/csv_format.ts";
import { fieldsOf } from "../../../../scenarios/extract/fields_of.ts";
import { openSource } from "../../../../scenarios/extract/open_source.ts";
import { seedContacts } from "../../../../scenarios/extract/seed/seed_contacts.ts";
import type { MessageSource } from "../../../../scenarios/extract/source.ts";
import type { Skipped } from "../../../../scenarios/extract/skipped.ts";
import { openThreads } from "../../../../scenarios/extract/threads/open_threads.ts";
import { readByThreads } from "../../../../scenarios/extract/threads/read_by_threads.ts";
import type { ReaderThread } from "../../../../scenarios/extract/threads/reader_thread.ts";
import type { ThreadSettings } from "../../../../scenarios/extract/threads/thread_messages.ts";
import { extractDefaults, extractText, withSqlite } from "../_helpers.ts";

const contacts = [...seedContacts({ contacts: 40, days: 30, seed: 2 })];
const { columns, period, batchSize, projection } = extractDefaults;

/** Gives a seeded file, after `change`, and threads that read it, to `use`. */
async function withThreads(
  options: { change?: string; count: number } & Partial<ThreadSettings>,
  use: (source: MessageSource, threads: readonly ReaderThread[]) => Promise<void>,
): Promise<void> {
  const { change = "", count, ...settings } = options;
  await withSqlite(contacts, change, async (address) => {
    const source = await openSource(address);
    const threads = await openThreads({
      ...{ address, columns, batchSize, projection },
      ...{ onBadDocument: "fail", aheadBytes: 2_048 },
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
  source: MessageSource,
  threads: readonly ReaderThread[],
  onSkipped: (skipped: Skipped) => void = () => {},
) {
  const format = csvFormat({ columns });
  const rows = { here: 0, elsewhere: 0 };
  let text = format.header();
  const batches = readByThreads({
    ...{ period, threads, onSkipped, partBytes: 1_024 },
    read: (part, isFirst) =>
      source.read({
        ...{ part, isFirst, batchSize, projection, fields: fieldsOf(columns) },
        onBadDocument() {},
      }),
  });
  for await (const batch of batches) {
    if ("text" in batch) {
      rows.elsewhere += batch.rows;
      text += new TextDecoder().decode(batch.text as Uint8Array);
      batch.release!();
    } else {
      rows.here += batch.length;
      text += format.lines(batch);
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
    thread.deal(period);
    const pieces = thread.take();
    let result = await pieces.next();
    for (; !result.done; result = await pieces.next()) result.value.release!();
    assert(result.value.stalledMs > 0, "it did not wait");
  }));

test("what a thread leaves out is counted, and what it cannot read is told in its place", () =>
  withThreads(
    { count: 1, change: "UPDATE messages SET text = NULL", onBadDocument: "skip" },
    async (source, threads) => {
      const all: Skipped[] = [];
      const { rows } = await readAll(source, threads, (skipped) => all.push(skipped));
      assertEquals(rows, { here: 0, elsewhere: 0 });
      const some = all.find(({ count }) => count > 0);
      assert(/^message \d+: text must be a string, got null$/.test(some!.first!), some!.first);
    },
  ));

test("a row of the wrong shape ends the reading where it stands", () =>
  withThreads(
    { count: 1, change: "UPDATE messages SET text = NULL" },
    async (source, threads) => {
      const error = await assertRejects(() => readAll(source, threads));
      assertEquals((error as Error).name, "BadDocumentError");
    },
  ));

test("threads that cannot open the source are none", () =>
  withThreads({ count: 1 }, async ({ name }, threads) => {
    const settings = { address: `${name}-not-there`, columns, batchSize, projection };
    const none = await openThreads({ ...settings, onBadDocument: "fail", aheadBytes: 1 }, 2);
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
