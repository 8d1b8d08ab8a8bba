import { posix } from "node:path";
import ts from "typescript";

/** What our own bare specifiers stand for. */
const names: ReadonlyMap<string, string> = new Map([
  ["@hosepipe/streams", "mod.ts"],
  ["@hosepipe/streams/node", "node_compat/mod.ts"],
  ["@hosepipe/streams/files", "node_compat/files/mod.ts"],
  ["@hosepipe/streams/queue", "src/queue/mod.ts"],
]);

/** Which of our files each file imports, for values or for types. */
function importGraph(files: ReadonlyMap<string, string>): Map<string, string[]> {
  const graph = new Map<string, string[]>();
  for (const [path, text] of files) {
    const targets = ts.preProcessFile(text, true, true).importedFiles.flatMap(({ fileName }) => {
      const own = names.get(fileName) ??
        (fileName.startsWith(".") ? posix.join(posix.dirname(path), fileName) : undefined);
      return own === undefined ? [] : [own];
    });
    graph.set(path, targets);
  }
  return graph;
}

/** The test that stands where the file does: `tests/stages/map_test.ts` for `src/stages/map.ts`. */
function ownTest(path: string): string {
  return `tests/${path.replace(/^src\//, "").replace(/\.ts$/, "_test.ts")}`;
}

/** How many names two paths have in common at their beginning. */
function nearness(one: string, other: string): number {
  const [left, right] = [one.split("/"), other.split("/")];
  let common = 0;
  while (common < left.length && left[common] === right[common]) common++;
  return common;
}

/**
 * For each file the tests whose imports reach it, those first that stand nearest to it.
 *
 * @param files The text of each file of the project, tests and what they import, by its path.
 */
export function reachingTests(files: ReadonlyMap<string, string>): Map<string, string[]> {
  const graph = importGraph(files);
  const reached = new Map<string, string[]>();
  for (const test of [...files.keys()].filter((path) => path.endsWith("_test.ts"))) {
    const seen = new Set([test]);
    for (const path of seen) for (const target of graph.get(path) ?? []) seen.add(target);
    for (const path of seen) reached.set(path, [...reached.get(path) ?? [], test]);
  }
  for (const [path, tests] of reached) {
    const own = ownTest(path);
    tests.sort((one, other) => nearness(other, own) - nearness(one, own));
  }
  return reached;
}
