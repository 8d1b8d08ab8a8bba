// Writes the tables of docs/migrate.md: deno run -A tests/migration/write_tables.ts
import { readFile, writeFile } from "node:fs/promises";
import { page, withTables } from "./_tables.ts";

await writeFile(page, withTables(await readFile(page, "utf8")));
