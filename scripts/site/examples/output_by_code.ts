import type { OutputLine } from "./output_line.ts";
import type { Example } from "./read_examples.ts";
import type { Outputs } from "./read_outputs.ts";

/** The output of each example, by its code. */
export function outputByCode(
  examples: readonly Example[],
  outputs: Outputs,
): Map<string, readonly OutputLine[]> {
  const found = new Map<string, readonly OutputLine[]>();
  const counts = new Map<string, number>();
  for (const { source, code } of examples) {
    const index = counts.get(source) ?? 0;
    counts.set(source, index + 1);
    found.set(code, outputs[source]?.[index] ?? []);
  }
  return found;
}
