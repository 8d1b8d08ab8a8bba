import { lengthProblems } from "./length_problems.ts";
import { readProject } from "./read_project.ts";
import { reportProblems } from "./report_problems.ts";

const files = await readProject();
reportProblems(`lengths of ${files.size} files`, lengthProblems(files));
