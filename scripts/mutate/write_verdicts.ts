import { writeFile } from "node:fs/promises";
import type { Runtime } from "../../runtimes/find_runtime.ts";
import type { Verdict } from "./tester.ts";

/** What a run of `deno task dev mutate` found. */
export interface MutationResult {
  readonly seed: number;
  readonly runtime: Pick<Runtime, "name" | "version">;
  readonly verdicts: readonly Verdict[];
}

/** Writes what was found, a change in each line. */
export async function writeVerdicts(
  path: string,
  { seed, runtime: { name, version }, verdicts }: MutationResult,
): Promise<void> {
  const rows = verdicts.map(({ mutant, noticedBy = null, equivalent }) => {
    const { path, line, column, before, after } = mutant;
    return `  ${JSON.stringify({ path, line, column, before, after, noticedBy, equivalent })}`;
  });
  const head = JSON.stringify({ schema: 1, seed, runtime: name, runtimeVersion: version }, null, 2);
  await writeFile(path, `${head.slice(0, -2)},\n  "changes": [\n${rows.join(",\n")}\n  ]\n}\n`);
}
