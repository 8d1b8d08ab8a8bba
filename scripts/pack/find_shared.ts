import type { Metafile } from "esbuild";

/** The modules that several exports use. */
export interface SharedModules {
  readonly web: ReadonlySet<string>;
  /** Those that need Node's modules, or a module that does: browsers have none. */
  readonly node: ReadonlySet<string>;
}

/** Finds the modules that are reached from several of `entries`, but for these themselves. */
export function findShared(inputs: Metafile["inputs"], entries: readonly string[]): SharedModules {
  const reach = (from: string): Set<string> => {
    const reached = new Set([from]);
    for (const path of reached) {
      for (const { path: next, external } of inputs[path]!.imports) {
        if (external !== true) reached.add(next);
      }
    }
    return reached;
  };
  const needsNode = (from: string): boolean =>
    [...reach(from)].some((path) => inputs[path]!.imports.some(({ external }) => external));
  const counts = new Map<string, number>();
  for (const entry of entries) {
    for (const path of reach(entry)) counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  const shared = [...counts.keys()].filter((path) =>
    counts.get(path)! > 1 && !entries.includes(path)
  ).sort();
  return {
    web: new Set(shared.filter((path) => !needsNode(path))),
    node: new Set(shared.filter(needsNode)),
  };
}
