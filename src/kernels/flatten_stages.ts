import { meaningOf } from "./registry.ts";

/**
 * The stages with each composition replaced by its own. A changed copy is no composition any
 * more, but a transformer like any other.
 */
export function flattenStages(stages: readonly unknown[]): readonly unknown[] {
  if (!stages.some((stage) => meaningOf(stage as object)?.stages)) return stages;
  return stages.flatMap((stage) => meaningOf(stage as object)?.stages ?? [stage]);
}
