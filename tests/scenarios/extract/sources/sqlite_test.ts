import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import {
  extract,
  ExtractError,
  type ExtractOptions,
} from "../../../../scenarios/extract/extract.ts";
import { openSource } from "../../../../scenarios/extract/open_source.ts";
import { seedContacts } from "../../../../scenarios/extract/seed/seed_contacts.ts";
import {
  extractDefaults,
  extractText,
  inFolder,
  memoryOutput,
  openConversations,
  seededPeriod,
  selectionOf,
  withSqlite,
} from "../_helpers.ts";

const contacts = [...seedContacts({ contacts: 6, days: 30, seed: 3 })];
const messages = contacts.flatMap(({ conversations }) =>
  conversations.flatMap((one) => one.messages)
);

const withSeed = (change: string, use: (address: string, path: string) => Promise<void>) =>
  withSqlite(contacts, change, use);

async function extractSeed(address: string, options: Partial<ExtractOptions> = {}) {
  const source = await openConversations(address, ["message_id", "text"]);
  const output = memoryOutput();
  try {
    const result = await extract({ ...extractDefaults, source, output, ...options });
    assertEquals(source.openCursors, 0);
    return { ...result, text: output.text() };
  } finally {
    await source.close();
  }
}

/** Rows that a time in milliseconds finds no place for, with what is said of them. */
const unplaced = [
  ["NULL", "sent_at is NULL, so that it has no place in time"],
  ["'2026-01-05T00:00:00Z'", "sent_at is text, not a number of milliseconds"],
  ["x'01'", "sent_at is binary, not a number of milliseconds"],
  ["sent_at / 1000", "sent_at looks like seconds, not milliseconds"],
  ["sent_at * 1000", "sent_at looks like microseconds, not milliseconds"],
] as const;

test("a row whose time is none fails the run before anything is written, and is named", async () => {
  for (const [value, reason] of unplaced) {
    await withSeed(`UPDATE messages SET sent_at = ${value} WHERE id = 3`, async (address) => {
      const source = await openConversations(address);
      for (const partitions of [1, 4]) {
        const output = memoryOutput();
        const error = await assertRejects(
          () => extract({ ...extractDefaults, source, output, partitions }),
          ExtractError,
        );
        assertMatch(error.message, /^Cannot read a row of sqlite:\S+: row message=3: .*; 0 rows /);
        assert(error.message.includes(`: ${reason}; 0 rows were written`), error.message);
        assertEquals([output.state, output.text()], ["discarded", ""]);
      }
      await source.close();
    });
  }
});

test("such rows are skipped where that is asked for, counted by reason, and the sum is right", () =>
  withSeed(
    unplaced.map(([value], index) =>
      `UPDATE messages SET sent_at = ${value} WHERE id = ${index + 3}`
    )
      .join(";"),
    async (address) => {
      for (const partitions of [1, 8]) {
        const { read, rows, skipped } = await extractSeed(address, {
          ...{ partitions, onBadRow: "skip" },
        });
        assertEquals([read, rows], [messages.length, messages.length - unplaced.length]);
        assertEquals(
          skipped.map(({ reason, count }) => [reason, count]).sort(),
          unplaced.map(([, reason]) => [reason, 1]).sort(),
        );
      }
    },
  ));

test("a time far from the period in any unit is outside it, and nothing more", () =>
  withSeed("UPDATE messages SET sent_at = 0 WHERE id = 3", async (address) => {
    const { read, rows } = await extractSeed(address);
    assertEquals([read, rows], [messages.length - 1, messages.length - 1]);
  }));

test("a message without a conversation or a contact is a row all the same", () =>
  withSeed(
    "PRAGMA foreign_keys = OFF; UPDATE messages SET conversation_id = -1 WHERE id = 3; DELETE FROM contacts WHERE id = 2",
    async (address) => {
      const { read, rows } = await extractSeed(address);
      assertEquals([read, rows], [messages.length, messages.length]);
    },
  ));

test("300 rows of equal ids and times are 300 rows", () =>
  inFolder(async (folder) => {
    const path = join(folder, "equal.sqlite");
    const database = new DatabaseSync(path);
    database.exec(`
      CREATE TABLE contacts (id, name, channel);
      CREATE TABLE conversations (id, contact_id);
      CREATE TABLE messages (id, conversation_id, sent_at, sender, text);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
      INSERT INTO messages SELECT 7, 1, ${seededPeriod.fromMs + 5}, 'bot', i FROM n;
      CREATE INDEX messages_sent_at ON messages (sent_at);
    `);
    database.close();
    for (const partitions of [1, 3]) {
      const { rows, text } = await extractSeed(`sqlite:${path}`, { partitions });
      assertEquals(rows, 300);
      const found = text.split("\r\n").slice(1, -1).map((line) => Number(line.split(",")[1]));
      assertEquals(found, Array.from({ length: 300 }, (_, index) => index + 1));
    }
  }));

test("texts come whole with U+0000 in them, in every runtime; what is no UTF-8 is refused by name", () =>
  withSeed(
    "UPDATE messages SET text = 'a' || char(0) || 'b' || char(0) WHERE id = 3; " +
      "UPDATE messages SET text = char(0) WHERE id = 4; " +
      "UPDATE messages SET text = char(0xFFFD, 0xFEFF, 0x1F600) || 'ü' WHERE id = 5; " +
      "UPDATE messages SET text = CAST(x'61ff62' AS TEXT) WHERE id = 6; " +
      "UPDATE messages SET text = CAST(x'c3' AS TEXT) WHERE id = 7; " +
      "UPDATE messages SET text = CAST(x'eda080' AS TEXT) WHERE id = 8; " +
      "UPDATE messages SET text = CAST(x'6100ff' AS TEXT) WHERE id = 9; " +
      "UPDATE messages SET text = CAST(x'f09f98' AS TEXT) WHERE id = 10",
    async (address) => {
      const { read, rows, skipped, text } = await extractSeed(address, { onBadRow: "skip" });
      assertEquals([read, rows], [messages.length, messages.length - 5]);
      assertEquals(skipped, [{
        ...{ reason: "text is text that is not valid", count: 5, first: skipped[0]!.first },
      }]);
      assertMatch(skipped[0]!.first, /^row message=(6|7|8|9|10)\b/);
      for (const line of ["3,a\0b\0", "4,\0", "5,\ufffd\ufeff😀ü"]) {
        assert(text.includes(`\r\n${line}\r\n`), line);
      }
      await assertRejects(
        () => extractSeed(address),
        ExtractError,
        "text is text that is not valid",
      );
    },
  ));

test("a missing index is a warning with its remedy, and no more than that", () =>
  withSeed("DROP INDEX messages_sent_at", async (address, path) => {
    const source = await openConversations(address);
    assertEquals(await source.warnings(), [
      "no index on sent_at can be used, so all rows are sorted for each part: " +
      "CREATE INDEX messages_sent_at ON messages (sent_at);",
    ]);
    const text = await extractText(source);
    await source.close();
    const database = new DatabaseSync(path);
    database.exec("CREATE INDEX messages_sent_at ON messages (sent_at);");
    database.close();
    const again = await openConversations(address);
    assertEquals(await again.warnings(), []);
    assertEquals(await extractText(again), text);
    await again.close();
  }));

test("all cursors see the file as it was when the source was opened", () =>
  withSeed("PRAGMA journal_mode = WAL", async (address, path) => {
    const source = await openConversations(address);
    const database = new DatabaseSync(path);
    database.exec("DELETE FROM messages");
    database.close();
    const output = memoryOutput();
    const { rows } = await extract({ ...extractDefaults, source, output, partitions: 4 });
    assertEquals(rows, messages.length);
    await source.close();
  }));

test("a slow output holds no lock: a copy is read, as the file was", () =>
  withSeed("", async (address, path) => {
    const slow = await openConversations(address, ["message_id", "text"], seededPeriod, {
      isOutputSlow: true,
    });
    const database = new DatabaseSync(path);
    database.exec("DELETE FROM messages WHERE id > 2");
    database.close();
    const output = memoryOutput();
    const { rows } = await extract({ ...extractDefaults, source: slow, output, partitions: 3 });
    assertEquals(rows, messages.length);
    await slow.close();

    const fast = await openConversations(address);
    const other = new DatabaseSync(path);
    other.exec("PRAGMA busy_timeout = 0");
    let refusal = "";
    try {
      other.exec("DELETE FROM messages");
    } catch (error) {
      refusal = (error as Error).message;
    }
    assertMatch(refusal, /locked/);
    await fast.close();
    other.exec("DELETE FROM messages");
    other.close();
  }));

test("a locked file is waited for, and given up after its time; waiting can be ended", () =>
  withSeed("", async (address, path) => {
    const writer = new DatabaseSync(path);
    writer.exec("BEGIN EXCLUSIVE");
    const open = (timeoutMs: number, signal?: AbortSignal) =>
      openSource(
        address,
        { ...selectionOf({ kind: "table", name: "contacts" }), timeoutMs },
        signal,
      );
    await assertRejects(() => open(60), Error, `Cannot open ${address}: it was locked for 0.06 s`);
    const controller = new AbortController();
    const reason = new Error("enough");
    const waiting = open(60_000, controller.signal);
    controller.abort(reason);
    assert(await assertRejects(() => waiting) === reason);
    const patient = open(60_000);
    writer.exec("COMMIT");
    await (await patient).close();
    writer.close();
  }));

test("a cursor left in the middle is closed; a closed source refuses to read", () =>
  withSeed("", async (address) => {
    const source = await openConversations(address);
    const read = () =>
      source.read({
        ...{ part: undefined, isFirst: true, batchSize: 1, projection: true },
        ...{ onRow() {}, onBadRow() {} },
      });
    for await (const batch of read()) {
      assertEquals([batch.rows.length, source.openCursors], [1, 1]);
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
    const { message } = await assertRejects(() => openConversations(`sqlite:${path}`), Error);
    assertEquals(message, `Cannot open sqlite:${path}: no such file`);
    const text = join(folder, "text.sqlite");
    await writeFile(
      text,
      "not a database, however long this text may go on, and on, and on".repeat(20),
    );
    await assertRejects(() => openConversations(`sqlite:${text}`), Error, "file is not a database");
    await mkdir(join(folder, "folder"));
    await assertRejects(
      () => openConversations(`sqlite:${join(folder, "folder")}`),
      Error,
      "it is not a regular file",
    );
    await assertRejects(() => openConversations("mysql://x"), RangeError, "must be sqlite:FILE, ");
  }));

test("other threads may read the same file, but where they could see another or would have to sort", () =>
  withSeed("", async (address, path) => {
    const shared = async (isOutputSlow = false) => {
      const source = await openConversations(address, undefined, seededPeriod, { isOutputSlow });
      await source.close();
      return source.shared?.address;
    };
    assertEquals(await shared(), address);
    assertEquals(await shared(true), undefined);
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
