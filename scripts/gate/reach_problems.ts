import { posix } from "node:path";
import { importsOf } from "./imports_of.ts";

/**
 * Names what would be published though no import reaches it.
 *
 * @param files The text of each file by its path in the project.
 * @param faces The modules that the package exports.
 */
export function reachProblems(
  files: ReadonlyMap<string, string>,
  faces: readonly string[],
): string[] {
  const reached = new Set(faces);
  for (const path of reached) {
    for (const fileName of importsOf(files.get(path) ?? "")) {
      if (fileName.startsWith(".")) reached.add(posix.join(posix.dirname(path), fileName));
    }
  }
  return [...files.keys()]
    .filter((path) => /^(?:src|node_compat)\//.test(path) && !reached.has(path))
    .map((path) => `${path} is published, and no export reaches it`);
}
