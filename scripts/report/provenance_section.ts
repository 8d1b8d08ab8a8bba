import type { ResultFile } from "../../bench/results/result.ts";
import { type Html, html } from "./html.ts";

/** A result file, and what it is called where it lies. */
export interface NamedResult {
  readonly name: string;
  readonly result: ResultFile;
}

function versions({ rows }: ResultFile): string {
  const names = new Set(rows.map(({ runtime, runtimeVersion }) => `${runtime} ${runtimeVersion}`));
  return [...names].sort().join(", ");
}

function state({ commit, dirty }: ResultFile): string {
  if (commit === null) return "none: measured outside a repository";
  return `${commit}${dirty ? ", with changes that are not committed" : ""}`;
}

function describe({ name, result }: NamedResult): Html {
  const { machine, startedAt, elapsedMs, seed, profile, complete, rows } = result;
  const facts: [string, string][] = [
    ["Results", `${name}, ${rows.length} rows${complete ? "" : ", interrupted: some are missing"}`],
    ["Machine", `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.os}`],
    ["Runtimes", versions(result)],
    ["Measured", `${startedAt}, in ${Math.round(elapsedMs / 1000)} s`],
    ["Commit", state(result)],
    ["Profile", `${profile}, seed ${seed}`],
  ];
  return html`
    <dl>${facts.map(([term, fact]) =>
      html`
        <dt>${term}</dt>
        <dd>${fact}</dd>
      `
    )}</dl>
  `;
}

/** Where the numbers come from: machine, versions, commit, seed. */
export function provenanceSection(results: readonly NamedResult[]): Html {
  return html`${results.map(describe)}`;
}
