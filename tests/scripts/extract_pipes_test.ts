import { spawnSync } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { assertEquals } from "@std/assert";
import postgres from "postgres";
import { thisRuntime } from "../lib/this_runtime.ts";
import { inFolder, inPostgres, postgresTest } from "../scenarios/extract/_helpers.ts";
import { runByShell } from "./fixtures/run_extract.ts";

const rows = [
  { id: 1, note: 'a "b", c', total: 1.5 },
  { id: 2, note: null, total: null },
  { id: 3, note: "", total: -2 },
  { id: 4, note: "two\nlines \\.", total: 0.1 },
];

/** Gives the flags to write these rows to standard output. */
function withOrders(use: (folder: string, flags: readonly string[]) => Promise<void>) {
  return inFolder(async (folder) => {
    const path = join(folder, "shop.db");
    const database = new DatabaseSync(path);
    database.exec("CREATE TABLE orders (id INTEGER PRIMARY KEY, note TEXT, total REAL)");
    const insert = database.prepare("INSERT INTO orders VALUES (?, ?, ?)");
    for (const { id, note, total } of rows) insert.run(id, note, total);
    database.close();
    const flags = ["--source", `sqlite:${path}`, "--table", "orders", "--out", "-", "--quiet"];
    await use(folder, flags);
  });
}

const hasPsql = spawnSync("psql", ["--version"]).status === 0;

if (hasPsql || process.env.HOSEPIPE_REQUIRE_POSTGRES !== undefined) {
  postgresTest(
    "psql copies what comes by a pipe",
    (address) =>
      withOrders(async (_folder, flags) => {
        await inPostgres(
          address,
          "CREATE TABLE orders (id int PRIMARY KEY, note text, total float8)",
        );
        const copy = `psql -X '${address}' -c '\\copy orders FROM STDIN (FORMAT csv, HEADER)'`;
        const { code, stdout, stderr } = await runByShell(`"$@" | ${copy}`, ...flags);
        assertEquals([code, stdout, stderr], [0, "COPY 4\n", ""]);
        const sql = postgres(address, { max: 1 });
        const found = await sql`SELECT * FROM orders ORDER BY id`;
        await sql.end();
        assertEquals([...found].map((row) => ({ ...row })), rows);
      }),
  );
}

test(
  "DuckDB reads what comes by a pipe",
  { skip: process.platform === "win32" },
  () =>
    withOrders(async (_folder, flags) => {
      const { executable, arguments: first } = thisRuntime;
      const script = fileURLToPath(new URL("fixtures/read_by_duckdb.ts", import.meta.url));
      const reader = [executable, ...first, script].map((part) => `'${part}'`).join(" ");
      const { code, stdout, stderr } = await runByShell(`"$@" | ${reader}`, ...flags);
      assertEquals([code, stderr], [0, ""]);
      const read = (JSON.parse(stdout) as Record<string, unknown>[])
        .map(({ id, ...row }) => ({ id: Number(id), ...row }));
      assertEquals(read, rows);
    }),
);
