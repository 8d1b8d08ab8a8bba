import { importProblems } from "./import_problems.ts";
import { packageFaces } from "./package_faces.ts";
import { importsOf, readProject, reportProblems } from "./read_project.ts";
import { posix } from "node:path";

/** The rooms of `src`, and which others each may import. Files of `src` itself are for all, and import no room. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  source: [],
  kernels: ["source"],
  engine: ["kernels"],
  stages: ["kernels", "source"],
  sinks: ["kernels"],
  pipeline: ["engine", "kernels", "source"],
  fuse: ["engine", "kernels"],
  sources: ["kernels", "pipeline", "source"],
  ends: ["kernels", "pipeline", "stages"],
  inspect: ["engine", "kernels", "pipeline", "source", "sources"],
  queue: ["engine", "fuse", "kernels", "pipeline", "source"],
  files: ["sources"],
  formats: ["kernels", "sources", "stages"],
  testing: [
    "engine",
    "fuse",
    "inspect",
    "kernels",
    "pipeline",
    "queue",
    "source",
    "sources",
  ],
  probe_server: ["inspect", "kernels", "pipeline"],
  workers: ["engine", "kernels", "pipeline"],
};

function roomOf(path: string): string | undefined {
  return /^src\/(?:([^/]+)\/)?[^/]+/.exec(path)?.[1] ?? (path.startsWith("src/") ? "" : undefined);
}

/**
 * Holds the rooms of `src` to the list of those that each may import.
 *
 * @param files The text of each file by its path in the project.
 * @param allowed The rooms, and which others each may import.
 */
function roomProblems(
  files: ReadonlyMap<string, string>,
  allowed: Readonly<Record<string, readonly string[]>> = rooms,
): string[] {
  const problems: string[] = [];
  for (const [path, text] of files) {
    const room = roomOf(path);
    if (room === undefined) continue;
    if (room !== "" && !Object.hasOwn(allowed, room)) {
      problems.push(
        `${path} is in the room ${room}, which scripts/gate/check_imports.ts does not list`,
      );
      continue;
    }
    const below = room === "" ? [] : allowed[room]!;
    for (const fileName of importsOf(text)) {
      if (!fileName.startsWith(".")) continue;
      const own = posix.join(posix.dirname(path), fileName);
      const target = roomOf(own);
      if (target === undefined || target === "" || target === room || below.includes(target)) {
        continue;
      }
      problems.push(
        `${path} imports ${own}: ${room || "src"} may import ${
          below.join(", ") || "no other room"
        }`,
      );
    }
  }
  return problems;
}

const files = await readProject();
reportProblems(`imports of ${files.size} files`, [
  ...importProblems(files, packageFaces),
  ...roomProblems(files),
]);
