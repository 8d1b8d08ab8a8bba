const compositions = new WeakMap<object, readonly unknown[]>();

/** Remembers of what stages `transformer` is made, which must not change afterwards. */
export function setComposition(transformer: object, stages: readonly unknown[]): void {
  compositions.set(transformer, stages);
}

/**
 * The stages with each composition replaced by its own. A changed copy is no composition any
 * more, but a transformer like any other.
 */
export function flattenStages(stages: readonly unknown[]): readonly unknown[] {
  if (!stages.some((stage) => compositions.has(stage as object))) return stages;
  return stages.flatMap((stage) => compositions.get(stage as object) ?? [stage]);
}
