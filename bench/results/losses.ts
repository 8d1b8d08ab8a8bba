import type { Workload } from "../measure/workload.ts";
import {
  describeCase,
  describeParams,
  isControl,
  isMeasured,
  isOurs,
  type MeasuredRow,
  type ResultFile,
  type Row,
} from "./result.ts";
import { quartiles, quartilesOverlap, ratioOfMedians } from "./statistics.ts";

function pool(rows: readonly Row[]): Row {
  const measured = rows.filter(isMeasured);
  const failed = rows.find((row) => !isMeasured(row));
  // One failure in three runs is a failure.
  if (failed !== undefined) return failed;
  const samples = measured.flatMap((row) => row.samples).sort((one, other) => one - other);
  return { ...measured.at(-1)!, samples, ...quartiles(samples) };
}

/** Several runs as one: the samples of all of them for each case, the head of the last. */
export function mergeRuns(runs: readonly ResultFile[]): ResultFile {
  const rows = Map.groupBy(runs.flatMap((run) => run.rows), describeCase);
  return {
    ...runs.at(-1)!,
    elapsedMs: runs.reduce((sum, { elapsedMs }) => sum + elapsedMs, 0),
    complete: runs.every(({ complete }) => complete),
    rows: [...rows.values()].map(pool),
  };
}

/** One workload in one runtime in which a rival is faster than every one of ours. */
export interface Loss {
  /** Such as `native_ends, deno`. */
  readonly title: string;
  /** Who is faster, each with the parameters of its worst case for us. */
  readonly peers: readonly string[];
  /** In how many of how many cases. */
  readonly lost: number;
  readonly of: number;
  /** How many times longer ours takes, at most. */
  readonly ratio: number;
  readonly reason: string;
}

const unknown = "Not explained yet.";

/** The fastest of some rows, if there is one. */
export function fastest(rows: readonly MeasuredRow[]): MeasuredRow | undefined {
  return rows.reduce<MeasuredRow | undefined>(
    (best, row) => best === undefined || row.median < best.median ? row : best,
    undefined,
  );
}

function asSentence(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
}

/** Where rivals, controls aside, are faster than the fastest of ours, and why, as contestants and workloads say. */
export function losses(rows: readonly Row[], workloads: readonly Workload[]): Loss[] {
  const places = Map.groupBy(
    rows.filter(isMeasured),
    ({ workload, runtime }) => `${workload}, ${runtime}`,
  );
  return [...places].flatMap(([title, place]): Loss[] => {
    const cases = [...Map.groupBy(place, ({ params }) => describeParams(params)).values()];
    const workload = workloads.find(({ name }) => name === place[0]!.workload);
    const duels = cases.flatMap((group) => {
      const ours = fastest(group.filter(({ contestant }) => isOurs(contestant)));
      const peers = group.filter(({ contestant }) => !isOurs(contestant) && !isControl(contestant));
      if (ours === undefined || peers.length === 0) return [];
      const faster = peers.filter((peer) =>
        peer.median < ours.median && !quartilesOverlap(peer, ours)
      );
      return [faster.map((peer) => ({ peer, ratio: ratioOfMedians(ours, peer) }))];
    });
    const won = duels.flat();
    if (won.length === 0) return [];
    const names = [...new Set(won.map(({ peer }) => peer.contestant))];
    const reasonOf = (name: string): string =>
      workload?.contestants.find((entry) => entry.name === name)?.whyFaster ??
        workload?.whyFaster ?? unknown;
    return [{
      title,
      peers: names,
      lost: duels.filter((one) => one.length > 0).length,
      of: duels.length,
      ratio: Math.max(...won.map(({ ratio }) => ratio)),
      reason: [...new Set(names.map((name) => reasonOf(name)))].map(asSentence).join(" "),
    }];
  });
}
