import * as steps from "./steps.ts";

/** What the loops written by hand make of a line; `undefined` of one that is dropped. */
export function handLine(
  lineRead: string,
  passes: readonly ((chunk: string) => string)[],
): string | undefined {
  const line = steps.trim(lineRead);
  if (!steps.isNotEmpty(line) || !steps.isNotComment(line)) return undefined;
  let result = steps.toLine(steps.toJson(steps.selectFields(steps.splitFields(line))));
  for (const pass of passes) result = pass(result);
  return result;
}
