import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { MongoClient } from "mongodb";
import { extract, ExtractError } from "../../../../scenarios/extract/extract.ts";
import { seedContacts } from "../../../../scenarios/extract/seed/seed_contacts.ts";
import { seedSource } from "../../../../scenarios/extract/seed/command.ts";
import {
  extractDefaults,
  extractText,
  memoryOutput,
  mongodbTest,
  openConversations,
} from "../_helpers.ts";
import { withProxy } from "./_proxy.ts";
import { until } from "../../../lib/until.ts";

// The seventh contact is the one with 5,000 messages.
const contacts = [...seedContacts({ contacts: 60, days: 30, seed: 2 })].filter(({ id }) =>
  id !== 7
);

/** Gives the collection to `use`. */
async function withCollection(
  address: string,
  use: (collection: ReturnType<ReturnType<MongoClient["db"]>["collection"]>) => Promise<unknown>,
): Promise<void> {
  const client = new MongoClient(address);
  try {
    await use(client.db().collection("conversations"));
  } finally {
    await client.close();
  }
}

mongodbTest(
  "an abort leaves neither cursor nor connection open, on either side",
  async (address) => {
    await seedSource(address, contacts);
    await withProxy(address, async (proxy) => {
      const source = await openConversations(proxy.address);
      const controller = new AbortController();
      const output = memoryOutput();
      let openAtFirst = 0;
      const onProgress = () => {
        if (controller.signal.aborted) return;
        openAtFirst = source.openCursors;
        controller.abort(new Error("enough"));
      };
      await assertRejects(
        () =>
          extract({
            ...extractDefaults,
            ...{
              source,
              output,
              partitions: 3,
              batchSize: 1,
              // One batch ahead and no more: none of them can come to its end before the first rows are there.
              highWaterMark: 2 ** -18,
              signal: controller.signal,
              onProgress,
            },
          }),
        Error,
        "enough",
      );
      assertEquals(openAtFirst, 3);
      await source.close();
      assertEquals([source.openCursors, output.state], [0, "discarded"]);
      await until(() => proxy.open === 0);
      // What was not read to its end yet was told to the server as given up.
      assert(proxy.count("killCursors") >= 1);
    });
  },
);

mongodbTest(
  "a lost connection is a failure that says how many rows were written",
  async (address) => {
    await seedSource(address, contacts);
    await withProxy(address, async (proxy) => {
      const source = await openConversations(`${proxy.address}?serverSelectionTimeoutMS=300`);
      const output = memoryOutput();
      const onProgress = (rows: number) => void (rows > 100 && proxy.cutAfter(1));
      const error = await assertRejects(
        () => extract({ ...extractDefaults, source, output, batchSize: 5, onProgress }),
        ExtractError,
      );
      assertMatch(
        error.message,
        /^Cannot read mongodb:\/\/127\.0\.0\.1:\d+\/\w+: .+; 0 rows were written$/,
      );
      assert(!error.message.includes("\n"));
      await source.close();
      assertEquals([source.openCursors, output.state], [0, "discarded"]);
      await until(() => proxy.open === 0);
    });
  },
);

mongodbTest(
  "what has no place in time is refused by name, or skipped and counted once",
  async (address) => {
    await seedSource(address, contacts);
    const clean = await openConversations(address);
    const expected = await extractText(clean);
    await clean.close();
    const rows =
      contacts.flatMap(({ conversations }) => conversations.flatMap(({ messages }) => messages))
        .length;
    await withCollection(address, async (collection) => {
      const startedAt = new Date("2026-01-10T00:00:00Z");
      const endedAt = new Date("2026-01-20T00:00:00Z");
      const contact = { id: 1, name: "A", channel: "web" };
      const message = { id: 9_000_001, sentAt: startedAt, sender: "bot", text: "a" };
      const shared = { startedAt, endedAt, contact };
      const later = new Date("2026-01-21T00:00:00Z");
      const wrong = [
        { ...shared, messages: "none" },
        { ...shared, messages: [{ ...message, sentAt: "2026-01-15" }] },
        { ...shared, messages: [{ ...message, sentAt: later }, { ...message, sentAt: null }] },
        // Without a place of their own.
        { contact, endedAt, messages: [message] },
        { contact, startedAt: null, endedAt, messages: [message, message] },
        { contact, startedAt: "2026-01-10", endedAt, messages: [message] },
        { contact, startedAt, endedAt: 5, messages: [{ ...message, sentAt: undefined }] },
        // Outside the period, with a message in it.
        {
          contact,
          ...{ startedAt: new Date("2025-01-01"), endedAt: new Date("2025-01-02") },
          messages: [message, { ...message, sentAt: new Date("2025-01-01") }],
        },
        {
          contact,
          ...{ startedAt: new Date("2027-01-01"), endedAt: new Date("2027-01-02") },
          messages: [message],
        },
        // It ends before it begins.
        { contact, startedAt: endedAt, endedAt: startedAt, messages: [message] },
        // Not of the period at all: nothing to be missed.
        {
          contact,
          startedAt: "2025-01-01",
          endedAt,
          messages: [{ ...message, sentAt: new Date(0) }],
        },
        { contact, startedAt: null, endedAt, messages: [] },
      ];
      await collection.insertMany(
        wrong.map((one, index) => ({ ...one, _id: 900_000 + index })) as never[],
      );
    });
    const source = await openConversations(address);
    try {
      for (const partitions of [1, 8]) {
        const output = memoryOutput();
        const { read, rows: written, skipped } = await extract({
          ...extractDefaults,
          ...{ source, output, partitions, onBadRow: "skip" },
        });
        const counts = Object.fromEntries(skipped.map(({ reason, count }) => [reason, count]));
        assertEquals(counts, {
          "its conversation's startedAt is missing, so that it has no place in time": 1,
          "its conversation's startedAt is null, so that it has no place in time": 2,
          "its conversation's startedAt is text, not a date": 1,
          "its conversation's endedAt is a number, not a date": 1,
          "sentAt is not between startedAt and endedAt": 4,
          "messages is no array": 1,
          "sentAt is text, not a date": 1,
          "sentAt is null, so that it has no place in time": 1,
        });
        assertEquals([written, read], [rows, rows + 12]);
        assertEquals(output.text(), expected);
      }
      const output = memoryOutput();
      const error = await assertRejects(
        () => extract({ ...extractDefaults, source, output }),
        ExtractError,
      );
      assertMatch(
        error.message,
        /^Cannot read a row of mongodb:\S+: message 9000001 of conversation 90000\d: its conversation's .+; 0 rows were written$/,
      );
    } finally {
      await source.close();
    }
  },
);

mongodbTest(
  "a missing index is a warning with its remedy, and no more than that",
  async (address) => {
    await seedSource(address, contacts);
    const before = await openConversations(address);
    const expected = await extractText(before);
    assertEquals(await before.warnings(), []);
    await before.close();
    await withCollection(address, (collection) => collection.dropIndexes());
    const source = await openConversations(address);
    try {
      const warnings = await source.warnings();
      assertEquals(warnings.map((warning) => warning.replace(/^.*: /, "")), [
        'db.conversations.createIndex({"startedAt":1,"_id":1,"endedAt":1})',
        'db.conversations.createIndex({"messages.sentAt":1})',
      ]);
      assertEquals(await extractText(source), expected);
    } finally {
      await source.close();
    }
  },
);

test("a server that is not there is named without its password", async () => {
  const error = await assertRejects(
    () => openConversations("mongodb://ada:secret@127.0.0.1:1/chat?serverSelectionTimeoutMS=2000"),
    Error,
  );
  assertMatch(
    error.message,
    /^Cannot open mongodb:\/\/\*\*\*@127\.0\.0\.1:1\/chat: .*ECONNREFUSED/,
  );
  assert(!/secret|ada/.test(error.message));
});
