import { endMeaningOf } from "./end_meaning.ts";
import { type Meaning, meaningOf } from "./registry.ts";

/** Finds the stage, counted from 1, that stands at `index` where compositions are taken apart, and which part of it that is. */
export function findStage(
  stages: readonly unknown[],
  index: number,
): [stage: number, part: number | undefined, failed: unknown] {
  let left = index;
  for (let at = 0;; at++) {
    const stage = stages[at];
    const parts = meaningOf(Object(stage))?.stages ?? [stage];
    const { length } = parts;
    if (left < length || at >= stages.length) {
      return [at + 1, length > 1 ? left + 1 : undefined, parts[left]];
    }
    left -= length;
  }
}

/** What an operator is called with the function that it was given: "map(parsePrice)". */
export function nameWith(name: string, fn: Meaning["fn"]): string {
  return fn?.name ? `${name}(${fn.name})` : name;
}

/** What a stage, a source or a sink is called: "map(parsePrice)", "CompressionStream"; what has no name by its kind. */
export function nameOfPart(part: unknown, kind = "transformer"): string {
  try {
    if (typeof part === "function") return part.name || "function";
    const { transform } = part as { transform?: object };
    const { name, fn } = endMeaningOf(part as object) ?? (transform && endMeaningOf(transform)) ??
      {};
    if (name !== undefined) return nameWith(name, fn);
    const called = (part as { [Symbol.toStringTag]?: string })[Symbol.toStringTag] ??
      part!.constructor.name;
    return called === "Object" ? kind : called;
  } catch {
    return kind;
  }
}
