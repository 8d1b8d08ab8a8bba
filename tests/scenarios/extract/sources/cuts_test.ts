import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { MongoClient } from "mongodb";
import { extract } from "../../../../scenarios/extract/extract.ts";
import { seedSource } from "../../../../scenarios/extract/seed/command.ts";
import { seedContacts } from "../../../../scenarios/extract/seed/seed_contacts.ts";
import type { Selection } from "../../../../scenarios/extract/source.ts";
import {
  extractDefaults,
  extractText,
  failureOf,
  fieldsOf,
  fromTable,
  inPostgres,
  memoryOutput,
  mongodbTest,
  open,
  openConversations,
  openTable,
  patientMs,
  postgresTest,
  selectionOf,
} from "../_helpers.ts";
import { withProxy } from "./_proxy.ts";
import { until } from "../../../lib/until.ts";

const cuts = 24;
const batchSize = 20;

/** Exports through a proxy that cuts after so many bytes; `undefined`: it failed, and left nothing. */
async function exportCut(
  address: string,
  query: string,
  selection: Selection,
  cutAfter: number,
): Promise<{ readonly text: string | undefined; readonly received: number }> {
  let text: string | undefined;
  let received = 0;
  await withProxy(address, async (proxy) => {
    proxy.cutAfter(cutAfter);
    const output = memoryOutput();
    try {
      await using source = await open(proxy.address + query, selection);
      await extract({ ...extractDefaults, source, output, batchSize });
      text = output.text();
      received = proxy.received;
    } catch (error) {
      assert(error instanceof Error && error.message !== "", String(error));
    }
    assertEquals(output.state === "committed", text !== undefined);
    await until(() => proxy.open === 0);
  });
  return { text, received };
}

async function cutEverywhere(address: string, query: string, selection: Selection): Promise<void> {
  const patient = { ...selection, timeoutMs: patientMs };
  const { text: whole, received } = await exportCut(address, "", patient, Infinity);
  assertEquals(whole?.split("\n").length, 302);
  let failed = 0;
  for (let cut = 0; cut < cuts; cut++) {
    const { text } = await exportCut(address, query, selection, 1 + received * cut / cuts);
    if (text === undefined) failed++;
    else assertEquals(text, whole);
  }
  // A server says more or less of itself from one connection to the next.
  assert(failed >= cuts / 2, `${failed} failed`);
}

postgresTest(
  "PostgreSQL, cut at any point: a failure without a file, or all rows",
  async (address) => {
    await inPostgres(
      address,
      `CREATE TABLE t (id int PRIMARY KEY, note text);
     INSERT INTO t SELECT n, repeat('x', n) FROM generate_series(1, 300) n`,
    );
    await cutEverywhere(
      address,
      "",
      selectionOf(fromTable("t"), { timeoutMs: 5_000 }),
    );
  },
);

mongodbTest("MongoDB, cut at any point: a failure without a file, or all rows", async (address) => {
  const client = new MongoClient(address);
  try {
    await client.db().collection("t").insertMany(
      Array.from({ length: 300 }, (_, id) => ({ id, note: "x".repeat(id) })),
    );
  } finally {
    await client.close();
  }
  const from = { kind: "collection", name: "t", filter: undefined } as const;
  await cutEverywhere(
    address,
    "?serverSelectionTimeoutMS=100",
    selectionOf(from, { fields: fieldsOf("id", "note"), timeoutMs: 5_000 }),
  );
});

postgresTest(
  "a table without a key is exported as it was, while its rows are deleted",
  async (address) => {
    await inPostgres(
      address,
      "CREATE TABLE t (note text); INSERT INTO t SELECT 'row ' || n FROM generate_series(1, 1000) n",
    );
    await using source = await openTable(address, "t");
    let isDeleted = false;
    const text = await extractText({
      ...{ name: source.name, titles: source.titles, key: [], span: undefined },
      expectedRows: undefined,
      ...{ openCursors: 0, warnings: () => Promise.resolve([]), close: () => Promise.resolve() },
      reportUnplaced: (options) => source.reportUnplaced(options),
      async *read(options) {
        for await (const batch of source.read(options) as AsyncIterable<{ rows: never[] }>) {
          yield batch as never;
          if (isDeleted) continue;
          isDeleted = true;
          await inPostgres(address, "DELETE FROM t");
        }
      },
    }, { batchSize });
    const rows = text.trim().split("\r\n");
    assert(isDeleted);
    assertEquals(rows.length, 1001);
    assertEquals(new Set(rows).size, 1001);
  },
);

const servers = [
  { kind: "postgres", serverTest: postgresTest, query: "" },
  { kind: "mongodb", serverTest: mongodbTest, query: "?serverSelectionTimeoutMS=300" },
];

for (const { kind, serverTest, query } of servers) {
  serverTest(
    `${kind}: a lost connection is a failure that says how many rows were written`,
    async (address) => {
      // The seventh contact is the one with 5,000 messages.
      const contacts = [...seedContacts({ contacts: 100, days: 30, seed: 1 })];
      await seedSource(address, contacts.filter(({ id }) => id !== 7));
      await withProxy(address, async (proxy) => {
        const source = await openConversations(proxy.address + query);
        const onProgress = (rows: number) => void (rows > 100 && proxy.cutAfter(1));
        const { message } = await failureOf(source, { batchSize: 5, onProgress });
        assertMatch(
          message,
          new RegExp(
            `^Cannot read ${kind}://(\\*{3}@)?127\\.0\\.0\\.1:\\d+/\\w+: .+; 0 rows were written$`,
          ),
        );
        await source.close();
        assertEquals(source.openCursors, 0);
        await until(() => proxy.open === 0);
      });
    },
  );

  test(`${kind}: a server that is not there is named without its password`, async () => {
    const { message } = await assertRejects(
      () => openConversations(`${kind}://ada:secret@127.0.0.1:1/chat${query}`),
      Error,
    );
    assert(message.startsWith(`Cannot open ${kind}://***@127.0.0.1:1/chat: `), message);
    assert(message.includes("ECONNREFUSED") && !/secret|ada/.test(message), message);
  });
}
