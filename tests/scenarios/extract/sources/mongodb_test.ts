import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { MongoClient } from "mongodb";
import { extract } from "../../../../scenarios/extract/extract.ts";
import { ExtractError } from "../../../../scenarios/extract/extract_error.ts";
import { openSource } from "../../../../scenarios/extract/open_source.ts";
import { seedContacts } from "../../../../scenarios/extract/seed/seed_contacts.ts";
import { seedSource } from "../../../../scenarios/extract/seed/seed_source.ts";
import { extractDefaults, extractText, memoryOutput, mongodbTest } from "../_helpers.ts";
import { withProxy } from "./_proxy.ts";

// The seventh contact is the one with 5,000 messages.
const contacts = [...seedContacts({ contacts: 60, days: 30, seed: 2 })].filter(({ id }) =>
  id !== 7
);

/** Waits until something is so; a test that waits for ever is a failure of its own. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await wait(5);
}

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
      const source = await openSource(proxy.address);
      const controller = new AbortController();
      const output = memoryOutput();
      // Cursors of one document at a time, all of them open when the first rows are there.
      const onRows = () => void (source.openCursors === 3 && controller.abort(new Error("enough")));
      await assertRejects(
        () =>
          extract({
            ...extractDefaults,
            ...{ source, output, partitions: 3, batchSize: 1, signal: controller.signal, onRows },
          }),
        Error,
        "enough",
      );
      await source.close();
      assertEquals([source.openCursors, output.state], [0, "discarded"]);
      await until(() => proxy.open === 0);
      // Each of the three was told to the server as given up.
      assertEquals(proxy.count("killCursors"), 3);
    });
  },
);

mongodbTest(
  "a lost connection is a failure that says how many rows were written",
  async (address) => {
    await seedSource(address, contacts);
    await withProxy(address, async (proxy) => {
      const source = await openSource(`${proxy.address}?serverSelectionTimeoutMS=300`);
      const output = memoryOutput();
      const onRows = (rows: number) => void (rows > 100 && proxy.cutAfter(1));
      const error = await assertRejects(
        () => extract({ ...extractDefaults, source, output, batchSize: 5, onRows }),
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
  "what is no message is refused by name, or left out and counted once",
  async (address) => {
    await seedSource(address, contacts);
    const clean = await openSource(address);
    const expected = await extractText(clean);
    await clean.close();
    await withCollection(address, async (collection) => {
      const startedAt = new Date("2026-01-10T00:00:00Z");
      const endedAt = new Date("2026-01-20T00:00:00Z");
      const contact = { id: 1, name: "A", channel: "web" };
      const message = { id: 9_000_001, sentAt: startedAt, sender: "bot", text: "a" };
      const shared = { startedAt, endedAt, contact };
      const wrong = [
        "none",
        [{ ...message, text: null }],
        [{ ...message, sentAt: endedAt, sender: 5 }],
        [{ ...message, sentAt: "2026-01-15" }],
        [{ ...message, sentAt: new Date("2026-01-21T00:00:00Z") }],
        [{ ...message, id: 1.5 }, { ...message, id: undefined }],
      ];
      await collection.insertMany(
        wrong.map((messages, index) => ({ ...shared, _id: 900_000 + index, messages })) as never[],
      );
    });
    const source = await openSource(address);
    try {
      for (const partitions of [1, 8]) {
        const output = memoryOutput();
        const { skipped } = await extract({
          ...extractDefaults,
          ...{ source, output, partitions, onBadDocument: "skip" },
        });
        assertEquals(skipped.count, 7);
        // Of cursors that read at the same time any may be the first.
        if (partitions === 1) {
          assertEquals(skipped.first, "conversation 900000: messages must be an array");
        }
        assertEquals(output.text(), expected);
      }
      const output = memoryOutput();
      const error = await assertRejects(
        () => extract({ ...extractDefaults, source, output }),
        ExtractError,
      );
      assertMatch(
        error.message,
        /^Cannot read a document of mongodb:\S+: conversation 900000: messages must be an array; 0 rows were written$/,
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
    const before = await openSource(address);
    const expected = await extractText(before);
    assertEquals(await before.warnings(), []);
    await before.close();
    await withCollection(address, (collection) => collection.dropIndexes());
    const source = await openSource(address);
    try {
      const [warning = "", ...more] = await source.warnings();
      assertEquals(more, []);
      assertMatch(
        warning,
        /db\.conversations\.createIndex\(\{"startedAt":1,"_id":1,"endedAt":1\}\)$/,
      );
      assertEquals(await extractText(source), expected);
    } finally {
      await source.close();
    }
  },
);

test("a server that is not there is named without its password", async () => {
  const error = await assertRejects(
    () => openSource("mongodb://ada:secret@127.0.0.1:1/chat?serverSelectionTimeoutMS=50"),
    Error,
  );
  assertMatch(
    error.message,
    /^Cannot open mongodb:\/\/\*\*\*@127\.0\.0\.1:1\/chat: .*ECONNREFUSED/,
  );
  assert(!/secret|ada/.test(error.message));
});
