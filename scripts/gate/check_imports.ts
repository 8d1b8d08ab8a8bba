import { importProblems } from "./import_problems.ts";
import { readProject, reportProblems } from "./read_project.ts";

const files = await readProject();
reportProblems(`imports of ${files.size} files`, importProblems(files));
