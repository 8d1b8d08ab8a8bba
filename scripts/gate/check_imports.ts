import { importProblems } from "./import_problems.ts";
import { readProject } from "./read_project.ts";
import { reportProblems } from "./report_problems.ts";
import { roomProblems } from "./room_problems.ts";

const names = new Map([
  ["@hosepipe/streams", "mod.ts"],
  ["@hosepipe/streams/node", "node_compat/mod.ts"],
  ["@hosepipe/streams/files", "src/files/mod.ts"],
  ["@hosepipe/streams/queue", "src/queue/mod.ts"],
  ["@hosepipe/streams/queue/sqlite", "src/queue/sqlite.ts"],
  ["@hosepipe/streams/queue/nats", "src/queue/nats.ts"],
]);

const files = await readProject();
reportProblems(`imports of ${files.size} files`, [
  ...importProblems(files, names),
  ...roomProblems(files),
]);
