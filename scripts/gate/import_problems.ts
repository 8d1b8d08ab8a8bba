import { posix } from "node:path";
import { importsOf } from "./read_project.ts";

interface Layer {
  readonly name: string;
  readonly pattern: RegExp;
  /** The layers it may import besides itself. */
  readonly below: readonly string[];
  /** Which packages it may import; default: any. */
  readonly packages?: RegExp;
}

/** The rooms of `src` that listen, or read files, and so need a runtime. */
export const serverRooms = /^src\/(?:files|probe_server)\//;

/** In the order in which a path is looked up: the first pattern that matches decides. */
const layers: readonly Layer[] = [
  {
    name: "scripts",
    pattern: /^scripts\//,
    below: ["site", "bench", "scenarios", "node_compat", "servers", "src", "runtimes"],
  },
  { name: "site", pattern: /^site\//, below: [], packages: /^$/ },
  {
    name: "playground",
    pattern: /^playground\//,
    below: ["bench", "scenarios", "node_compat", "servers", "src"],
  },
  {
    name: "bench",
    pattern: /^bench\//,
    below: ["scenarios", "node_compat", "servers", "src", "runtimes"],
  },
  { name: "cli", pattern: /^cli\//, below: ["scenarios", "runtimes"] },
  { name: "runtimes", pattern: /^runtimes\//, below: [], packages: /^node:/ },
  {
    name: "scenarios",
    pattern: /^scenarios\//,
    below: ["node_compat", "servers", "src", "runtimes"],
  },
  {
    name: "node_compat",
    pattern: /^node_compat\//,
    below: ["servers", "src"],
    packages: /^node:/,
  },
  { name: "servers", pattern: serverRooms, below: ["src"], packages: /^node:/ },
  { name: "src", pattern: /^(?:src\/|mod\.ts$)/, below: [], packages: /^$/ },
];

function layerOf(path: string): Layer | undefined {
  return layers.find(({ pattern }) => pattern.test(path));
}

/** Finds a circle through `path`, as the list of its files. */
function findCircle(
  path: string,
  graph: ReadonlyMap<string, readonly string[]>,
  trail: readonly string[],
  done: Set<string>,
): readonly string[] | undefined {
  if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
  if (done.has(path)) return undefined;
  for (const target of graph.get(path) ?? []) {
    const circle = findCircle(target, graph, [...trail, path], done);
    if (circle !== undefined) return circle;
  }
  done.add(path);
  return undefined;
}

/**
 * Holds a set of files to the one-way rule of imports.
 *
 * @param files The text of each file by its path in the project.
 * @param names What each bare specifier of the import map stands for, if it is one of our own files.
 */
export function importProblems(
  files: ReadonlyMap<string, string>,
  names: ReadonlyMap<string, string>,
): string[] {
  const problems: string[] = [];
  const graph = new Map<string, string[]>();
  for (const [path, text] of files) {
    const layer = layerOf(path);
    const targets: string[] = [];
    graph.set(path, targets);
    for (const fileName of importsOf(text)) {
      const own = names.get(fileName) ??
        (fileName.startsWith(".") ? posix.join(posix.dirname(path), fileName) : undefined);
      if (own === undefined) {
        if (layer?.packages !== undefined && !layer.packages.test(fileName)) {
          problems.push(`${path} imports ${fileName}: ${layer.name} may not`);
        }
        continue;
      }
      targets.push(own);
      const target = layerOf(own);
      if (layer === undefined || target === layer) continue;
      if (target === undefined || !layer.below.includes(target.name)) {
        problems.push(
          `${path} imports ${own}: ${layer.name} may import ${
            layer.below.join(", ") || "only itself"
          }`,
        );
      }
    }
  }
  const done = new Set<string>();
  for (const path of graph.keys()) {
    const circle = findCircle(path, graph, [], done);
    if (circle === undefined) continue;
    problems.push(`imports go in a circle: ${circle.join(" → ")}`);
    for (const member of circle) done.add(member);
  }
  return problems;
}
