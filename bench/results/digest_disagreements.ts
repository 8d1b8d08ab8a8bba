import { describeParams } from "./describe_params.ts";
import { noopName } from "./noop_name.ts";
import { isMeasured, type MeasuredRow, type Row } from "./result.ts";

function who({ contestant, runtime, digest }: MeasuredRow): string {
  return `${contestant}/${runtime} (${digest})`;
}

/** The digest that most rows have; the earliest of them if several are as common. */
function prevailing(rows: readonly MeasuredRow[]): MeasuredRow {
  const votes = new Map<string, number>();
  for (const { digest } of rows) votes.set(digest, (votes.get(digest) ?? 0) + 1);
  const most = Math.max(...votes.values());
  return rows.find(({ digest }) => votes.get(digest) === most)!;
}

/** One line for every row whose output differs from that of its peers: same workload and parameters. */
export function digestDisagreements(rows: readonly Row[]): string[] {
  const peers = Map.groupBy(
    rows.filter(isMeasured).filter(({ contestant }) => contestant !== noopName),
    ({ workload, params }) => [workload, describeParams(params)].filter(Boolean).join(" "),
  );
  const lines: string[] = [];
  for (const [title, group] of peers) {
    const reference = prevailing(group);
    for (const row of group) {
      if (row.digest !== reference.digest) {
        lines.push(`${title}: outputs differ: ${who(row)} vs ${who(reference)}`);
      }
    }
  }
  return lines;
}
