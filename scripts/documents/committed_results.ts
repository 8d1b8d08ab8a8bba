import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { readResultFile } from "../../bench/results/read_result_file.ts";
import type { ResultFile } from "../../bench/results/result.ts";

/**
 * Reads the results that documents show: `reference.json`, or `latest.json`. Where a workload was measured again,
 * `published.json` or `reference-WORKLOAD.json` counts for the blocks and images named for it.
 */
export async function committedResults(folder: URL): Promise<(name: string) => ResultFile> {
  const names = await readdir(folder).catch((): string[] => []);
  const read = (name: string) => readResultFile(fileURLToPath(new URL(name, folder)));
  const all = await read(names.includes("reference.json") ? "reference.json" : "latest.json");
  const later = new Map<string, ResultFile>();
  if (names.includes("published.json")) {
    const published = await read("published.json");
    for (const { workload } of published.rows) later.set(workload.replaceAll("_", "-"), published);
    for (const name of ["passes", "passes.svg"]) later.set(name, published);
  }
  for (const name of names) {
    const workload = /^reference-(.+)\.json$/.exec(name)?.[1];
    if (workload !== undefined) later.set(workload.replaceAll("_", "-"), await read(name));
  }
  return (name) => {
    const plain = name.replace(/^workload-/, "");
    const found = [...later].filter(([workload]) =>
      plain === workload || plain.startsWith(`${workload}-`)
    );
    // A workload may be named for another one and more.
    return found.sort(([one], [other]) => other.length - one.length)[0]?.[1] ?? all;
  };
}
