import type { Difference } from "./check.ts";
import type { Counts, Tally } from "./enumerate.ts";
import { scriptOf } from "./script_of.ts";

function describeCounts({ order, moment, outcome }: Counts): string {
  const total = order + moment + outcome;
  return total === 0 ? "0" : `${total} (outcome ${outcome}, moment ${moment}, order ${order})`;
}

function describeDifference({ kind, schedule, expected, actual, steps }: Difference): string {
  return [
    `✗ ${kind}: ${schedule.deviations.map(({ at, does }) => `${at} ${does}`).join(", ")}`,
    `  --schedule '${JSON.stringify(schedule)}'`,
    `  expected ${expected.join("; ")}`,
    `  actual   ${actual.join("; ")}`,
    scriptOf(schedule, steps).trimEnd().replace(/^/gm, "    "),
  ].join("\n");
}

/** A tally for people. */
export function describeTally(tally: Tally): string {
  const { way, stages, chunks, deviations, schedules, isWhole, tripped, excused } = tally;
  return [
    `${way}, ${stages} × ${chunks}, at most ${deviations} deviations: ${schedules} schedules${
      isWhole ? "" : " (not all)"
    }`,
    `  native differs in   ${describeCounts(tally.native)}${
      deviations > 2 ? `, of ${tally.nativeSchedules} with at most 2` : ""
    }`,
    `  ${way} differs in ${describeCounts(tally.library)}, besides what rules explain:`,
    ...Object.entries(excused).map(([rule, count]) => `    ${String(count).padStart(9)}  ${rule}`),
    `  compared with native, since the reference failed an assertion of its own: ${tripped}`,
    ...tally.examples.map(describeDifference),
  ].join("\n");
}
