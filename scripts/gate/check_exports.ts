import { exportProblems } from "./export_problems.ts";
import { packageFaces } from "./package_faces.ts";
import { reachProblems } from "./reach_problems.ts";
import { readProject } from "./read_project.ts";
import { reportProblems } from "./report_problems.ts";

const faces = [...packageFaces.values()];
const files = await readProject();
reportProblems("exports", [...exportProblems(files, faces), ...reachProblems(files, faces)]);
