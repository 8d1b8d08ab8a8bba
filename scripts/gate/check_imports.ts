import { importProblems } from "./import_problems.ts";
import { packageFaces } from "./package_faces.ts";
import { readProject } from "./read_project.ts";
import { reportProblems } from "./report_problems.ts";
import { roomProblems } from "./room_problems.ts";

const files = await readProject();
reportProblems(`imports of ${files.size} files`, [
  ...importProblems(files, packageFaces),
  ...roomProblems(files),
]);
