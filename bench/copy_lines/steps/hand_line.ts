import * as steps from "./steps.ts";

/** What the loops written by hand make of a line; `undefined` of one that is dropped. */
export function handLine(lineRead: string, passes: number): string | undefined {
  const line = steps.trim(lineRead);
  if (!steps.isNotEmpty(line) || !steps.isNotComment(line)) return undefined;
  let result = steps.toLine(steps.toJson(steps.selectFields(steps.splitFields(line))));
  for (let index = 0; index < passes; index++) result = steps.pass(result);
  return result;
}
