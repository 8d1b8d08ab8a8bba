import process from "node:process";
import type { Example, OutputLine, Outputs } from "./read_examples.ts";
import { runExample } from "./run_example.ts";

/** Whether an example would do nothing: it asks a server, and none is named. */
function lacksServer(code: string): boolean {
  const [, name] = /if \(process\.env\.(\w+) !== undefined\)/.exec(code) ?? [];
  return name !== undefined && process.env[name] === undefined;
}

/**
 * Runs examples, one after the other.
 *
 * @param examples The examples.
 * @param known What they showed before: taken for those that ask a server if there is none.
 */
export async function runExamples(examples: readonly Example[], known: Outputs): Promise<Outputs> {
  const outputs: Record<string, (readonly OutputLine[])[]> = {};
  for (const { source, code } of examples) {
    const ofFile = outputs[source] ??= [];
    const before = known[source]?.[ofFile.length] ?? [];
    ofFile.push(lacksServer(code) ? before : await runExample(code));
  }
  const sorted = Object.entries(outputs).toSorted(([one], [other]) => one < other ? -1 : 1);
  return Object.fromEntries(sorted);
}
