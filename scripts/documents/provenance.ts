import type { ResultFile } from "../../bench/results/result.ts";
import { wrapProse } from "../command_line/wrap_prose.ts";

const flags: Record<string, string> = { quick: " --quick", full: " --full" };

/** Where numbers come from: the command, the machine, the date, the commit. */
export function provenance(results: ResultFile, workload: string): string {
  const { machine, startedAt, seed, profile, commit, dirty, complete } = results;
  const command = profile === "sweeps"
    ? `deno task bench --sweeps --seed ${seed}`
    : `deno task bench --workload ${workload}${flags[profile] ?? ""} --seed ${seed}`;
  const memory = `${machine.memoryGiB} GiB`;
  const state = commit === null
    ? ""
    : ` at commit ${commit.slice(0, 7)}${dirty ? " with changes" : ""}`;
  return wrapProse(
    `Medians of one iteration; \`${command}\` on ${machine.cpu}, ${machine.cores} cores, ` +
      `${memory}, ${machine.os}, ${startedAt.slice(0, 10)}${state}` +
      `${complete ? "" : " (interrupted)"}.`,
  );
}
