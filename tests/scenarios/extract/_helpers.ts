import { randomUUID } from "node:crypto";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import { MongoClient } from "mongodb";
import postgres from "postgres";
import { currentRuntime } from "../../../runtimes/current_runtime.ts";
import { conversationSelection } from "../../../scenarios/extract/conversations.ts";
import { extract, ExtractError, type ExtractOptions } from "../../../scenarios/extract/extract.ts";
import type { Output } from "../../../scenarios/extract/output.ts";
import { openSource } from "../../../scenarios/extract/open_source.ts";
import type { Period, RowSource, Selection } from "../../../scenarios/extract/source.ts";
import { type SeedContact, seedStartMs } from "../../../scenarios/extract/seed/seed_contacts.ts";
import { seedSource } from "../../../scenarios/extract/seed/command.ts";
import { inFolder } from "../../lib/in_folder.ts";

/** The 30 days that seeds are of. */
export const seededPeriod: Period = { fromMs: seedStartMs, toMs: seedStartMs + 30 * 86_400_000 };

/** How long a source may give nothing: a server may get little of a busy machine. */
export const patientMs = 600_000;

export { inFolder };

/** Gives the address and path of an SQLite file with these contacts to `use`, after `change`. */
export async function withSqlite(
  contacts: Iterable<SeedContact>,
  change: string,
  use: (address: string, path: string) => Promise<void>,
): Promise<void> {
  await inFolder(async (folder) => {
    const path = join(folder, "a.sqlite");
    const address = `sqlite:${path}`;
    await seedSource(address, contacts);
    inSqlite(path, change);
    await use(address, path);
  });
}

/** An output that keeps what it gets, and what became of it. */
export interface MemoryOutput extends Output {
  state: "open" | "committed" | "discarded";
  text(): string;
}

/** Makes an output in memory; `onWrite` is called before each write. */
export function memoryOutput(onWrite: () => unknown = () => {}): MemoryOutput {
  const decoder = new TextDecoder();
  let text = "";
  const output: MemoryOutput = {
    name: "memory",
    hasOldContent: false,
    state: "open",
    text: () => text,
    async write(bytes) {
      await onWrite();
      text += decoder.decode(bytes, { stream: true });
    },
    commit: () => {
      output.state = "committed";
      return Promise.resolve();
    },
    discard: () => {
      if (output.state === "open") output.state = "discarded";
      return Promise.resolve();
    },
  };
  return output;
}

/** Extracts to memory. */
export async function extractText(
  source: RowSource,
  options: Partial<ExtractOptions> = {},
): Promise<string> {
  return (await resultOf(source, options)).text;
}

/** What tests have no opinion on. */
export const extractDefaults = {
  format: { format: "csv" },
  batchSize: 100,
  partitions: 1,
  projection: true,
  highWaterMark: 2,
  onBadRow: "fail",
  timeoutMs: patientMs,
  isEmptyKept: true,
} as const satisfies Partial<ExtractOptions>;

/** Opens what is selected; it is closed with the block that has it, and no cursor may be left. */
export async function open(
  address: string,
  selection: Selection,
): Promise<RowSource & AsyncDisposable> {
  const source = await openSource(address, selection);
  return Object.assign(source, {
    async [Symbol.asyncDispose]() {
      await source.close();
      assertEquals(source.openCursors, 0);
    },
  });
}

/** Opens the conversations of a source, those of the seeded period if no other is named. */
export function openConversations(
  address: string,
  titles?: readonly string[],
  period: Period = seededPeriod,
  more: Partial<Selection> = {},
): Promise<RowSource & AsyncDisposable> {
  return open(address, { ...conversationSelection(period, titles), timeoutMs: patientMs, ...more });
}

/** Opens a table, with what tests have no opinion on. */
export function openTable(
  address: string,
  name: string,
  more: Partial<Selection> = {},
): Promise<RowSource & AsyncDisposable> {
  return open(address, selectionOf(fromTable(name), more));
}

/** Why an extract fails, of which nothing may be left in the output: an error of its own, or a signal's reason. */
export async function failureOf(
  source: RowSource,
  options: Partial<ExtractOptions> = {},
  output: MemoryOutput = memoryOutput(),
): Promise<ExtractError> {
  const failure = await assertRejects(() =>
    extract({ ...extractDefaults, source, output, ...options })
  );
  assertEquals(output.state, "discarded");
  if (options.signal === undefined) assertInstanceOf(failure, ExtractError);
  return failure as ExtractError;
}

/** A selection of a table or anything else, with what tests have no opinion on. */
export function selectionOf(from: Selection["from"], more: Partial<Selection> = {}): Selection {
  return { from, maxValueBytes: 67_108_864, timeoutMs: patientMs, ...more };
}

/** What a table of that name gives. */
export const fromTable = (name: string) => ({ kind: "table", name }) as const;

/** Fields of these paths, each called so. */
export const fieldsOf = (...paths: readonly string[]) =>
  paths.map((path) => ({ path, title: path }));

/** The lines of a text of CSV. */
export const csvLines = (text: string): string[] => text.split("\r\n").slice(0, -1);

/** A month, for rows to lie in. */
export const march: Period = { fromMs: Date.UTC(2026, 2, 1), toMs: Date.UTC(2026, 3, 1) };

/** Extracts what is selected of an address, and gives the text. */
export async function textOf(
  address: string,
  from: Selection["from"],
  options: Partial<ExtractOptions> & { readonly selection?: Partial<Selection> } = {},
): Promise<string> {
  const { selection, ...more } = options;
  await using source = await open(address, selectionOf(from, selection));
  return await extractText(source, more);
}

/** Checks what lines of CSV come of a selection. */
export async function assertGives(
  address: string,
  cases: readonly (readonly [
    from: Selection["from"],
    lines: readonly string[],
    selection?: Partial<Selection>,
    options?: Partial<ExtractOptions>,
  ])[],
): Promise<void> {
  for (const [from, lines, selection, options] of cases) {
    const text = await textOf(address, from, { ...(selection && { selection }), ...options });
    assertEquals(csvLines(text), lines, JSON.stringify(from));
  }
}

/** What comes of an export: all that is written, counted and said. */
interface Outcome {
  readonly text?: string;
  readonly rows?: number;
  readonly reasons?: readonly string[];
  /** The first row of each reason, which depends on the cursor where several read. */
  readonly firsts?: readonly string[];
  readonly read?: number;
  readonly error?: string;
}

/** What comes of an export that skips bad rows. */
export async function outcomeOf(
  address: string,
  selection: Selection,
  options: Partial<ExtractOptions>,
): Promise<Outcome> {
  await using source = await open(address, selection);
  try {
    const all = await resultOf(source, { onBadRow: "skip", ...options });
    const { text, read, rows, reasons, skipped } = all;
    return { text, read, rows, reasons, firsts: skipped.map(({ first }) => first) };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

/** Does what `sql` says in an SQLite file, which is made if it is not there. */
export function inSqlite(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  try {
    database.exec(sql);
  } finally {
    database.close();
  }
}

/** Extracts what a source gives; `reasons` are those of rows that were left out, with how many have each. */
export async function resultOf(source: RowSource, options: Partial<ExtractOptions> = {}) {
  const output = memoryOutput();
  const result = await extract({ ...extractDefaults, source, output, ...options });
  const reasons = result.skipped.map(({ reason, count }) => `${count}: ${reason}`).sort();
  return { ...result, text: output.text(), reasons };
}

/** Gives the address and path of an SQLite file that `sql` has made to `use`. */
export function withFile(
  sql: string,
  use: (address: string, path: string) => Promise<void>,
): Promise<void> {
  return inFolder(async (folder) => {
    const path = join(folder, "a.sqlite");
    inSqlite(path, sql);
    await use(`sqlite:${path}`, path);
  });
}

/**
 * A test that needs a server whose address a variable has: it gets that of a new database there, by its name.
 *
 * @param giver The script that gives such a server.
 */
function serverTest(
  name: string,
  { variable, giver }: { readonly variable: string; readonly giver: string },
  use: (address: string, database: string, ours: string) => Promise<void>,
): void {
  const address = process.env[variable];
  if (!address) {
    const required = variable.replace(/^(.*)_URI$/, "HOSEPIPE_REQUIRE_$1");
    const title = `${name} (set ${variable}; scripts/${giver} gives one)`;
    test(title, { skip: !process.env[required] }, () => {
      throw new Error(`${variable} is not set, and ${required} says that it must`);
    });
    return;
  }
  test(name, () => {
    const database = `hosepipe_${currentRuntime().name}_${randomUUID().slice(0, 8)}`;
    const ours = address.replace(/^([^:]+:\/\/[^/?]+)(?:\/[^?]*)?/, `$1/${database}`);
    return use(address, database, ours);
  });
}

/** A test that needs MongoDB at `MONGODB_URI`: it gets the address of a new database there. */
export function mongodbTest(name: string, use: (address: string) => Promise<void>): void {
  serverTest(name, { variable: "MONGODB_URI", giver: "ferretdb" }, async (_, _database, ours) => {
    try {
      await use(ours);
    } finally {
      const client = new MongoClient(ours);
      await client.db().dropDatabase();
      await client.close();
    }
  });
}

/** A test that needs PostgreSQL at `POSTGRES_URI`: it gets the address of a new database there, and a client of it. */
export function postgresTest(
  name: string,
  use: (address: string, sql: postgres.Sql) => Promise<void>,
): void {
  const options = { variable: "POSTGRES_URI", giver: "postgres" };
  serverTest(name, options, async (address, database, ours) => {
    const [server, sql] = [address, ours].map((one) => postgres(one, { max: 1, onnotice() {} }));
    try {
      await server!.unsafe(`CREATE DATABASE ${database}`);
      await use(ours, sql!);
    } finally {
      await sql!.end({ timeout: 0 });
      await server!.unsafe(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
      await server!.end({ timeout: 0 });
    }
  });
}

/** Does what `sql` says, statement by statement, in a PostgreSQL database. */
export async function inPostgres(address: string, sql: string): Promise<void> {
  const client = postgres(address, { max: 1, onnotice() {} });
  try {
    await client.unsafe(sql);
  } finally {
    await client.end({ timeout: 0 });
  }
}

/** Does what `sql` says in a database of SQLite or PostgreSQL. */
export async function inSql(address: string, sql: string): Promise<void> {
  const [, path] = /^sqlite:(.+)$/s.exec(address) ?? [];
  if (path === undefined) await inPostgres(address, sql);
  else inSqlite(path, sql);
}

/** A database that knows SQL. */
export type DatabaseName = "SQLite" | "PostgreSQL";

/** A test of each database that knows SQL, in which its `sql` was done before. */
export function sqlTest(
  title: string,
  sql: string | Readonly<Record<DatabaseName, string>>,
  use: (address: string, database: DatabaseName) => Promise<void>,
): void {
  const sqlOf = (name: DatabaseName) => typeof sql === "string" ? sql : sql[name];
  test(`SQLite: ${title}`, () => withFile(sqlOf("SQLite"), (address) => use(address, "SQLite")));
  postgresTest(`PostgreSQL: ${title}`, async (address) => {
    await inSql(address, sqlOf("PostgreSQL"));
    await use(address, "PostgreSQL");
  });
}
