import { importProblems } from "./import_problems.ts";
import { readProject } from "./read_project.ts";
import { reportProblems } from "./report_problems.ts";

const names = new Map([
  ["@hosepipe/streams", "mod.ts"],
  ["@hosepipe/streams/node", "node_compat/mod.ts"],
]);

const files = await readProject();
reportProblems(`imports of ${files.size} files`, importProblems(files, names));
