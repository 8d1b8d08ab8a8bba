import { exportProblems } from "./export_problems.ts";
import { readProject } from "./read_project.ts";
import { reportProblems } from "./report_problems.ts";

const files = await readProject();
const faces = ["mod.ts", "node_compat/mod.ts", "node_compat/files/mod.ts"];
reportProblems("exports", exportProblems(files, faces));
