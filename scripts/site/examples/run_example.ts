import { importProgram } from "../../test/examples/import_program.ts";
import { type AssertedPlace, instrumentExample } from "./instrument_example.ts";
import type { OutputLine } from "./output_line.ts";
import { showValue } from "./show_value.ts";

type Look = (place: number, check: (...values: unknown[]) => unknown) => typeof check;

const hook = "hosepipeLookAtExample";

/** An error with its message; of a long one only the line that is asserted. */
function showError(error: unknown, asserted: unknown): string {
  const lines = String((error as Error).message).split("\n");
  if (lines.length <= 5) return showValue(error);
  const line = lines.find((one) => one.includes(String(asserted)))!;
  return `${(error as Error).name}: … ${line.trim()}`;
}

function lineOf(
  { name, of, to, isLiteral }: AssertedPlace,
  [actual, , asserted]: readonly unknown[],
  outcome: unknown,
): OutputLine {
  if (name === "assertThrows" || name === "assertRejects") {
    return [of.replace(/^\(\) => /, ""), showError(outcome, asserted)];
  }
  if (name === "assertInstanceOf") return [of, `an instance of ${to}`];
  if (name === "assertMatch") return [of, `text that matches ${to}`];
  return [of, isLiteral || to === undefined ? showValue(actual) : `the same as ${to}`];
}

/** Without what differs from run to run: a free port, and a random path. */
function withoutChance(text: string): string {
  return text.replace(/:\d{4,5}\b/g, ":…").replace(/\b[0-9a-f]{32}\b/g, "…");
}

/**
 * Runs an example; one at a time.
 *
 * @returns What it prints, and what its assertions find.
 * @throws {Error} If one of these fails.
 */
export async function runExample(code: string): Promise<OutputLine[]> {
  const resolve = (specifier: string) => import.meta.resolve(specifier);
  const { code: program, places } = instrumentExample(code, { hook, resolve });
  const output: OutputLine[] = [];
  const add = (line: OutputLine) => {
    // An assertion in a loop, or in a callback that is called often, is shown once for each value.
    if (JSON.stringify(line) !== JSON.stringify(output.at(-1))) output.push(line);
  };
  const look: Look = (index, check) => (...values) => {
    const outcome = check(...values);
    const found = (value: unknown) => {
      add(lineOf(places[index]!, values, value));
      return value;
    };
    return outcome instanceof Promise ? outcome.then(found) : found(outcome);
  };
  const { log } = console;
  try {
    Object.assign(globalThis, { [hook]: look });
    console.log = (...values) => {
      const texts = values.map((value) => typeof value === "string" ? value : showValue(value));
      add([withoutChance(texts.join(" "))]);
    };
    await importProgram(program);
    return output;
  } finally {
    console.log = log;
  }
}
