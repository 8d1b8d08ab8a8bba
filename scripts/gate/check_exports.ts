import { exportProblems } from "./export_problems.ts";
import { reachProblems } from "./reach_problems.ts";
import { readProject } from "./read_project.ts";
import { reportProblems } from "./report_problems.ts";

const faces = [
  ...["mod.ts", "node_compat/mod.ts", "src/files/mod.ts"],
  ...["src/queue/mod.ts", "src/queue/sqlite.ts", "src/queue/nats.ts"],
];
const files = await readProject();
reportProblems("exports", [...exportProblems(files, faces), ...reachProblems(files, faces)]);
