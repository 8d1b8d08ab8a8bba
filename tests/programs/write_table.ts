// Writes the table of programs in docs/recipes.md: deno run -A tests/programs/write_table.ts
import { readFile, writeFile } from "node:fs/promises";
import { recipes, withTable } from "./_table.ts";

await writeFile(recipes, await withTable(await readFile(recipes, "utf8")));
