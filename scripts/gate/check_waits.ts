import { readProject } from "./read_project.ts";
import { reportProblems } from "./report_problems.ts";
import { waitProblems } from "./wait_problems.ts";

const files = await readProject(["tests"]);
reportProblems(`waits of ${files.size} files`, waitProblems(files));
