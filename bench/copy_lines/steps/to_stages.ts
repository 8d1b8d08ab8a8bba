import { filter, lines, map } from "../../../mod.ts";
import type { JobSteps } from "./create_steps.ts";

/** Makes the steps of the job stages of the library: `lines` decodes and splits. */
export function toStages({ perLine }: JobSteps): Transformer[] {
  return [
    lines(),
    ...perLine.map(({ kind, fn }) => kind === "map" ? map(fn) : filter(fn)),
  ];
}
