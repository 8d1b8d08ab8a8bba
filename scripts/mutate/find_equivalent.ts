import type { Equivalent } from "./equivalents.ts";
import type { Mutant } from "./mutant.ts";

function linesOf(files: ReadonlyMap<string, string>, path: string): readonly string[] {
  return files.get(path)?.split("\n") ?? [];
}

/**
 * Finds what is known of a change that changes nothing.
 *
 * @param files The text of each file, by its path.
 */
export function findEquivalent(
  mutant: Mutant,
  files: ReadonlyMap<string, string>,
  known: readonly Equivalent[],
): Equivalent | undefined {
  const whole = linesOf(files, mutant.path)[mutant.line - 1] ?? "";
  const indent = whole.length - whole.trimStart().length;
  return known.find(({ path, line, before, after, column }) =>
    path === mutant.path && line === whole.trim() && before === mutant.before &&
    after === mutant.after && (column ?? mutant.column - indent) === mutant.column - indent
  );
}

/** Lists those whose line is no longer in their file. */
export function staleEquivalents(
  files: ReadonlyMap<string, string>,
  known: readonly Equivalent[],
): Equivalent[] {
  return known.filter(({ path, line }) =>
    !linesOf(files, path).some((other) => other.trim() === line)
  );
}
