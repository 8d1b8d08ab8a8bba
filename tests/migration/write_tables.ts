// Writes the tables of docs/recipes.md: deno run -A tests/migration/write_tables.ts
import { readFile, writeFile } from "node:fs/promises";
import { recipes, withTables } from "./_tables.ts";

await writeFile(recipes, withTables(await readFile(recipes, "utf8")));
