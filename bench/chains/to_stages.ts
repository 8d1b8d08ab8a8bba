import { filter, flatMap, map } from "../../mod.ts";
import type { ChainJob, Chunk } from "./job.ts";

/** Makes the steps of a chain stages of the library. */
export function toStages(
  { isBatched, steps }: Pick<ChainJob, "isBatched" | "steps">,
): Transformer[] {
  const stages = steps.map((step) => step.kind === "map" ? map(step.fn) : filter(step.fn));
  return isBatched ? [flatMap((batch: Chunk[]) => batch), ...stages] : stages;
}
