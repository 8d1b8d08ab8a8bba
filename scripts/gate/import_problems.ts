import { posix } from "node:path";
import { packageFaces } from "./package_faces.ts";
import { importsOf } from "./read_project.ts";

interface Layer {
  /** The layers it may import besides itself. */
  readonly below: readonly string[];
  /** Which packages it may import; default: any. */
  readonly packages?: RegExp;
}

const none = /^$/;
const nodeOnly = /^node:/;

/** The folders of the project; what none of them has, as `mod.ts`, is of `src`. */
const layers: Readonly<Record<string, Layer>> = {
  scripts: { below: ["site", "bench", "scenarios", "node_compat", "src", "runtimes"] },
  site: { below: [], packages: none },
  playground: { below: ["bench", "scenarios", "node_compat", "src"] },
  bench: { below: ["scenarios", "node_compat", "src", "runtimes"] },
  cli: { below: ["scenarios", "runtimes"] },
  runtimes: { below: [], packages: nodeOnly },
  scenarios: { below: ["node_compat", "src", "runtimes"] },
  node_compat: { below: ["src"], packages: nodeOnly },
  src: { below: [], packages: none },
};

/** The rooms of `src`, and which others each may import. Files of `src` itself are for all, and import no room. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  "": [],
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
  formats: ["kernels", "pipeline", "sources", "stages"],
  testing: ["engine", "fuse", "inspect", "kernels", "pipeline", "queue", "source", "sources"],
  probe_server: ["inspect", "kernels", "pipeline"],
  workers: ["engine", "kernels", "pipeline"],
};

/** The rooms of `src` that listen, or read files, and so need a runtime. */
export const serverRooms = /^src\/(?:files|probe_server)\//;

function layerOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.indexOf("/")) : "src";
}

function roomOf(path: string): string {
  return /^src\/([^/]+)\//.exec(path)?.[1] ?? "";
}

/** What is wrong with the import of one file of ours by another, if something is. */
function faultOf(path: string, own: string): string | undefined {
  const [layer, target] = [layerOf(path), layerOf(own)];
  const isInSrc = layer === "src" && target === "src";
  const [name, place] = isInSrc ? [roomOf(path), roomOf(own)] : [layer, target];
  if (name === place || isInSrc && (place === "" || path === "mod.ts")) return undefined;
  const below = isInSrc ? rooms[name] : layers[name]?.below;
  if (below === undefined) return `${path} is in ${name}, which import_problems.ts does not list`;
  if (below.includes(place)) return undefined;
  return `${path} imports ${own}: ${name || "src"} may import ${below.join(", ") || "only itself"}`;
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
 */
export function importProblems(files: ReadonlyMap<string, string>): string[] {
  const problems: string[] = [];
  const graph = new Map<string, string[]>();
  for (const [path, text] of files) {
    const targets: string[] = [];
    graph.set(path, targets);
    const packages = serverRooms.test(path) ? nodeOnly : layers[layerOf(path)]?.packages;
    for (const name of importsOf(text)) {
      const own = packageFaces.get(name) ??
        (name.startsWith(".") ? posix.join(posix.dirname(path), name) : undefined);
      const fault = own !== undefined
        ? faultOf(path, own)
        : packages?.test(name) === false
        ? `${path} imports ${name}: it may not`
        : undefined;
      if (own !== undefined) targets.push(own);
      if (fault !== undefined) problems.push(fault);
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
