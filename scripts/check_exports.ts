import { exportProblems } from "./lib/export_problems.ts";
import { readProject } from "./lib/read_project.ts";
import { reportProblems } from "./lib/report_problems.ts";

const files = await readProject();
reportProblems("exports", exportProblems(files, ["mod.ts", "node_compat/mod.ts"]));
