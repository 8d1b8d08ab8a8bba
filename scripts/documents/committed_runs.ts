import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { readRuns } from "../../bench/results/read_result_file.ts";
import type { ResultFile } from "../../bench/results/result.ts";

/** The runs that were published together, or what there is. */
export async function committedRuns(folder: URL): Promise<readonly ResultFile[]> {
  const names = await readdir(folder).catch((): string[] => []);
  const name = ["published.json", "reference.json"].find((one) => names.includes(one));
  return await readRuns(fileURLToPath(new URL(name ?? "latest.json", folder)));
}
