import { exportProblems } from "./export_problems.ts";
import { readProject } from "./read_project.ts";
import { reportProblems } from "./report_problems.ts";

const files = await readProject();
reportProblems("exports", exportProblems(files, ["mod.ts", "node_compat/mod.ts"]));
