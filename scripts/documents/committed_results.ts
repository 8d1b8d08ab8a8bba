import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { readResultFile } from "../../bench/results/read_result_file.ts";
import type { ResultFile } from "../../bench/results/result.ts";

/**
 * Reads the results that documents show: `reference.json`, or `latest.json`. Where a workload was measured again,
 * `published.json`, `sweeps.json` or `reference-WORKLOAD.json` counts for it.
 */
export async function committedResults(folder: URL): Promise<(name: string) => ResultFile> {
  const names = await readdir(folder).catch((): string[] => []);
  const read = (name: string) => readResultFile(fileURLToPath(new URL(name, folder)));
  const first = await read(names.includes("reference.json") ? "reference.json" : "latest.json");
  const files = ["published.json", "sweeps.json"].filter((name) => names.includes(name));
  const later = new Map<string, ResultFile>();
  for (const name of [...files, ...names.filter((name) => /^reference-.+\.json$/.test(name))]) {
    const file = await read(name);
    const own = /^reference-(.+)\.json$/.exec(name)?.[1];
    for (const workload of own ? [own] : file.rows.map(({ workload }) => workload)) {
      later.set(workload, file);
    }
  }
  const all: ResultFile = {
    ...first,
    rows: [
      ...first.rows.filter(({ workload }) => !later.has(workload)),
      ...[...later].flatMap(([name, { rows }]) => rows.filter(({ workload }) => workload === name)),
    ],
  };
  return (name) => {
    const plain = name.replace(/^workload-/, "");
    const found = [...later].map(([workload, file]) =>
      [workload.replaceAll("_", "-"), file] as const
    )
      .filter(([workload]) => plain === workload || plain.startsWith(`${workload}-`));
    // A workload may be named for another one and more.
    return found.sort(([one], [other]) => other.length - one.length)[0]?.[1] ?? all;
  };
}
