import { isLong } from "./order_jobs.ts";

/** So many files at most share a process: cores that have nothing to do take up the next. */
const mostTogether = 24;

/** Folders whose tests leave nothing behind in their process, and look at nothing of others there. */
const shared = new Set([
  "tests/bench/measure",
  "tests/bench/results",
  "tests/bench/text",
  "tests/ends",
  "tests/engine",
  "tests/formats",
  "tests/fuse",
  "tests/kernels",
  "tests/laws",
  "tests/node_compat",
  "tests/pipeline",
  "tests/probe",
  "tests/programs",
  "tests/scripts/command_line",
  "tests/scripts/documents",
  "tests/scripts/gate",
  "tests/scripts/report",
  "tests/scripts/semantics",
  "tests/sinks",
  "tests/site/examples",
  "tests/site/markdown",
  "tests/site/reference",
  "tests/sources",
  "tests/stages",
]);

/** They import the tests of others, which would then not be run where they belong. */
const importsOthers = /\/probed_test\.ts$/;

/** Puts files of a folder together that one process may run. */
export function groupFiles(files: readonly string[]): string[][] {
  const groups: string[][] = [];
  const open = new Map<string, string[]>();
  for (const file of files) {
    const folder = file.slice(0, file.lastIndexOf("/"));
    const mayShare = shared.has(folder) && !isLong(file) && !importsOthers.test(file);
    const group = mayShare ? open.get(folder) : undefined;
    if (group !== undefined && group.length < mostTogether) {
      group.push(file);
      continue;
    }
    const begun = [file];
    groups.push(begun);
    if (mayShare) open.set(folder, begun);
  }
  return groups;
}
