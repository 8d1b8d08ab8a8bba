import type { Measured } from "../rows/measured.ts";

const list = new Intl.ListFormat("en", { style: "long", type: "conjunction" });

/** Where and when rows were measured, and of which code, as the end of a sentence. */
export function measuredOn(rows: readonly Measured[]): string {
  const each = (value: (row: Measured) => string) => [...new Set(rows.map(value))];
  const commits = each(({ commit }) => commit?.slice(0, 7) ?? "unknown");
  const machines = each(({ machine: { cpu, cores, os } }) => `${cpu}, ${cores} cores, ${os}`);
  const dates = each(({ startedAt }) => startedAt.slice(0, 10));
  const commit = commits.length > 1 ? "commits" : "commit";
  return `${list.format(machines)}, ${list.format(dates)}, ${commit} ${list.format(commits)}`;
}
