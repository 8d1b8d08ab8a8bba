import { threeDigits } from "../../bench/tables/format_duration.ts";
import type { ResultFile } from "../../bench/results/result.ts";
import { ratioOfMedians } from "../../bench/results/statistics.ts";
import { duels } from "../report/peer_wins.ts";
import { markdownTable } from "./markdown_table.ts";

/** Where somebody else is faster than the library: per workload and runtime how often, who, and by how much. */
export function peerWinsTable(results: ResultFile): string {
  const all = duels(results.rows);
  const groups = Map.groupBy(all, ({ peer }) => `\`${peer.workload}\`, ${peer.runtime}`);
  const lines = [...groups].flatMap(([title, group]) => {
    const lost = group.filter(({ winner }) => winner === "peer");
    if (lost.length === 0) return [];
    const names = [...new Set(lost.map(({ peer }) => peer.contestant))].sort().join(", ");
    const worst = Math.max(...lost.map(({ ours, peer }) => ratioOfMedians(ours, peer)));
    return [[title, names, `${lost.length} of ${group.length}`, `${threeDigits(worst)}x`]];
  });
  const lost = all.filter(({ winner }) => winner === "peer").length;
  const even = all.filter(({ winner }) => winner === "even").length;
  return [
    `Of ${all.length} jobs, the fastest of the others wins ${lost}; ${even} are not settled.`,
    ...lines.length === 0 ? [] : [
      markdownTable(["job", "faster", "how often", "by up to"], lines.sort()),
    ],
  ].join("\n\n");
}
