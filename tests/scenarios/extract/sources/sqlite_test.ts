import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { extract } from "../../../../scenarios/extract/extract.ts";
import { ExtractError } from "../../../../scenarios/extract/extract_error.ts";
import { openSource } from "../../../../scenarios/extract/open_source.ts";
import { seedContacts } from "../../../../scenarios/extract/seed/seed_contacts.ts";
import { extractDefaults, extractText, inFolder, memoryOutput, withSqlite } from "../_helpers.ts";

const contacts = [...seedContacts({ contacts: 6, days: 30, seed: 3 })];
const messages = contacts.flatMap(({ conversations }) =>
  conversations.flatMap((one) => one.messages)
);

const withSeed = (change: string, use: (address: string, path: string) => Promise<void>) =>
  withSqlite(contacts, change, use);

test("a row of the wrong shape is refused with its number and the rows before it", () =>
  withSeed("UPDATE messages SET text = NULL WHERE id = 3", async (address) => {
    const source = await openSource(address);
    const output = memoryOutput();
    const error = await assertRejects(
      () => extract({ ...extractDefaults, source, output, batchSize: 1 }),
      ExtractError,
    );
    assertEquals(
      error.message,
      `Cannot read a document of ${address}: message 3: text must be a string, got null; ` +
        "0 rows were written",
    );
    assertEquals([output.state, source.openCursors], ["discarded", 0]);
    await source.close();
  }));

test("rows of the wrong shape are left out and counted where that is asked for", () =>
  withSeed(
    "UPDATE messages SET text = x'00' WHERE id = 3; UPDATE messages SET sender = 5.5 WHERE id = 5",
    async (address) => {
      const source = await openSource(address);
      for (const partitions of [1, 8]) {
        const output = memoryOutput();
        const { rows, skipped } = await extract({
          ...extractDefaults,
          ...{ source, output, partitions, columns: ["message_id", "text"], onBadDocument: "skip" },
        });
        // The sender is not asked for, so nobody looks at it.
        assertEquals([rows, skipped.count], [messages.length - 1, 1]);
        assertEquals(skipped.first, "message 3: text must be a string, got an object");
      }
      await source.close();
    },
  ));

test("a missing index is a warning with its remedy, and no more than that", () =>
  withSeed("DROP INDEX messages_sent_at", async (address, path) => {
    const source = await openSource(address);
    assertEquals(await source.warnings(), [
      "no index on the time of messages, so all are sorted for each part: " +
      "CREATE INDEX messages_sent_at ON messages (sent_at);",
    ]);
    const text = await extractText(source);
    await source.close();
    const database = new DatabaseSync(path);
    database.exec("CREATE INDEX messages_sent_at ON messages (sent_at);");
    database.close();
    const again = await openSource(address);
    assertEquals(await again.warnings(), []);
    assertEquals(await extractText(again), text);
    await again.close();
  }));

test("all cursors see the file as it was when the source was opened", () =>
  withSeed("PRAGMA journal_mode = WAL", async (address, path) => {
    const source = await openSource(address);
    const database = new DatabaseSync(path);
    database.exec("DELETE FROM messages");
    database.close();
    const output = memoryOutput();
    const { rows } = await extract({ ...extractDefaults, source, output, partitions: 4 });
    assertEquals(rows, messages.length);
    await source.close();
  }));

test("a cursor left in the middle is closed; a closed source refuses to read", () =>
  withSeed("", async (address) => {
    const source = await openSource(address);
    const options = { ...extractDefaults, part: extractDefaults.period, isFirst: true };
    const read = () =>
      source.read({
        ...options,
        batchSize: 1,
        fields: ["messageId", "sentAtMs"],
        onBadDocument() {},
      });
    for await (const batch of read()) {
      assertEquals([batch.length, source.openCursors], [1, 1]);
      break;
    }
    assertEquals(source.openCursors, 0);
    await source.close();
    await source.close();
    await assertRejects(async () => void await Array.fromAsync(read()), Error, "is closed");
  }));

test("what is not there, or no such database, is refused in one line", () =>
  inFolder(async (folder) => {
    const path = join(folder, "absent.sqlite");
    const { message } = await assertRejects(() => openSource(`sqlite:${path}`), Error);
    assertEquals(message, `Cannot open sqlite:${path}: no such file`);
    const text = join(folder, "text.sqlite");
    await writeFile(
      text,
      "not a database, however long this text may go on, and on, and on".repeat(20),
    );
    await assertRejects(() => openSource(`sqlite:${text}`), Error, "file is not a database");
    await assertRejects(() => openSource("postgres://"), RangeError, "must be sqlite:FILE or");
  }));

test("other threads may read the same file, but where they could see another or would have to sort", () =>
  withSeed("", async (address, path) => {
    const shared = async () => {
      const source = await openSource(address);
      await source.close();
      return source.sharedAddress;
    };
    assertEquals(await shared(), address);
    const change = (sql: string) => {
      const database = new DatabaseSync(path);
      database.exec(sql);
      database.close();
    };
    change("PRAGMA journal_mode = WAL");
    assertEquals(await shared(), undefined);
    change("PRAGMA journal_mode = DELETE; DROP INDEX messages_sent_at");
    assertEquals(await shared(), undefined);
  }));
