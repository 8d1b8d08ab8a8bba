import { importProblems } from "./lib/import_problems.ts";
import { readProject } from "./lib/read_project.ts";
import { reportProblems } from "./lib/report_problems.ts";

const names = new Map([
  ["@hosepipe/streams", "mod.ts"],
  ["@hosepipe/streams/node", "node_compat/mod.ts"],
]);

const files = await readProject();
reportProblems(`imports of ${files.size} files`, importProblems(files, names));
