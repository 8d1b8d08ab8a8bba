import { editDistance } from "../../bench/measure/edit_distance.ts";

/** The flag that was probably meant, such as `--workload` for `--worklod`; undefined if none is near. */
export function nearestFlag(typed: string, names: readonly string[]): string | undefined {
  const name = typed.replace(/^-+/, "");
  const [best] = [...names, "help"].map((known) => ({ known, away: editDistance(name, known) }))
    .sort((one, other) => one.away - other.away);
  return best !== undefined && best.away <= Math.max(1, Math.floor(best.known.length / 4))
    ? `--${best.known}`
    : undefined;
}
