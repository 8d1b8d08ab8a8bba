import { describeParams } from "../../bench/results/describe_params.ts";
import { isMeasured, type MeasuredRow, type Row } from "../../bench/results/result.ts";
import { isControl, isOurs } from "../../bench/results/roles.ts";
import { quartilesOverlap } from "../../bench/results/statistics.ts";

/** The same job in the same runtime, ours and a peer's, each by its fastest contestant. */
export interface Duel {
  readonly ours: MeasuredRow;
  readonly peer: MeasuredRow;
  /** `even`: the quartiles overlap. */
  readonly winner: "ours" | "peer" | "even";
}

const isPeer = ({ contestant }: Row) => !isOurs(contestant) && !isControl(contestant);

function fastest(rows: readonly MeasuredRow[]): MeasuredRow | undefined {
  return rows.length === 0
    ? undefined
    : rows.reduce((best, row) => row.median < best.median ? row : best);
}

/** Compares, wherever both were measured, our fastest contestant with the fastest of the others. */
export function duels(rows: readonly Row[]): Duel[] {
  const groups = Map.groupBy(
    rows.filter(isMeasured),
    ({ workload, params, runtime }) => `${workload} ${describeParams(params)} ${runtime}`,
  );
  return [...groups.values()].flatMap((group): Duel[] => {
    const ours = fastest(group.filter(({ contestant }) => isOurs(contestant)));
    const peer = fastest(group.filter(isPeer));
    if (ours === undefined || peer === undefined) return [];
    const winner = quartilesOverlap(ours, peer)
      ? "even"
      : ours.median < peer.median
      ? "ours"
      : "peer";
    return [{ ours, peer, winner }];
  });
}
