import ts from "typescript";
import { importProgram } from "../../test/examples/import_program.ts";
import type { OutputLine } from "./read_examples.ts";

const width = 80;

function quote(text: string): string {
  const quoted = JSON.stringify(text);
  if (!text.includes('"') || text.includes("'")) return quoted;
  return `'${quoted.slice(1, -1).replaceAll('\\"', '"')}'`;
}

/** On one line, or each part on its own if that would be too long. */
function wrap(open: string, parts: readonly string[], close: string): string {
  if (parts.length === 0) return open + close;
  const gap = open.endsWith("{") ? " " : "";
  const line = `${open}${gap}${parts.join(", ")}${gap}${close}`;
  if (line.length <= width && !line.includes("\n")) return line;
  return `${open}\n${
    parts.map((part) => `  ${part.replaceAll("\n", "\n  ")},\n`).join("")
  }${close}`;
}

/** A value as it would stand in code. */
function showValue(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value instanceof Map) {
    const pairs = [...value].map(([key, one]) => `${showValue(key)} => ${showValue(one)}`);
    return wrap("Map {", pairs, "}");
  }
  if (value instanceof Uint8Array) return wrap("Uint8Array [", [...value].map(String), "]");
  if (Array.isArray(value)) return wrap("[", value.map(showValue), "]");
  return wrap("{", Object.entries(value).map(([key, one]) => `${key}: ${showValue(one)}`), "}");
}

const assertions = /^assert(?:\.(?:deepEqual|match|ok|rejects|throws))?$/;

/** An assertion of an example. */
interface AssertedPlace {
  readonly name: string;
  /** What it asserts something of, as code. */
  readonly of: string;
  /** What that is compared with, as code; undefined of one argument. */
  readonly to: string | undefined;
  /** Whether that stands there as it is, so that it is the same in each run. */
  readonly isLiteral: boolean;
}

/** Whether code names a value of the program, which may differ from run to run. */
function namesValue(node: ts.Node): boolean {
  if (ts.isIdentifier(node)) return !/^(?:[A-Z]|undefined$)/.test(node.text);
  if (ts.isPropertyAccessExpression(node)) return namesValue(node.expression);
  if (ts.isPropertyAssignment(node)) return namesValue(node.initializer);
  return ts.forEachChild(node, namesValue) ?? false;
}

/** Code on one line, without the breaks and the last comma of a list. */
function oneLine(code: string): string {
  return code.replace(/([([])\s*\n\s*/g, "$1").replace(/,?\s*\n\s*([)\]])/g, "$1")
    .replace(/\s*\n\s*/g, " ").replace(/, }/g, " }");
}

/**
 * Puts a look into a program's assertions.
 *
 * @param code The program.
 * @param options `hook`, the expression that is called with the number of an assertion and the
 * function, and answers the function to call; `resolve`, which gives each import its address.
 * @returns The program, and its assertions.
 */
function instrumentExample(
  code: string,
  { hook, resolve }: {
    readonly hook: string;
    readonly resolve: (specifier: string) => string;
  },
): { readonly code: string; readonly places: readonly AssertedPlace[] } {
  const file = ts.createSourceFile("example.ts", code, ts.ScriptTarget.ESNext, true);
  const places: AssertedPlace[] = [];
  const changes: [from: number, to: number, text: string][] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      const { moduleSpecifier } = node;
      const address = resolve((moduleSpecifier as ts.StringLiteral).text);
      changes.push([moduleSpecifier.getStart(), moduleSpecifier.end, JSON.stringify(address)]);
      return;
    }
    if (ts.isCallExpression(node) && assertions.test(node.expression.getText())) {
      const name = node.expression.getText();
      const [of, to] = node.arguments;
      const { expression } = node;
      changes.push([expression.getStart(), expression.end, `${hook}(${places.length},${name})`]);
      places.push({
        ...{ name, of: oneLine(of!.getText()), to: to && oneLine(to.getText()) },
        isLiteral: to === undefined || !namesValue(to),
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  let changed = code;
  for (const [from, to, text] of changes.toReversed()) {
    changed = changed.slice(0, from) + text + changed.slice(to);
  }
  return { code: changed, places };
}

type Look = (place: number, check: (...values: unknown[]) => unknown) => typeof check;

const hook = "hosepipeLookAtExample";

/** An error with its message; of a long one only the line that is expected, or the first. */
function showError(error: unknown, expected: unknown): string {
  const lines = String((error as Error).message).split("\n");
  if (lines.length <= 5) return showValue(error);
  const line = lines.find((one) => expected instanceof RegExp && expected.test(one)) ?? lines[0]!;
  return `${(error as Error).name}: … ${line.trim()}`;
}

function lineOf(
  { name, of, to, isLiteral }: AssertedPlace,
  [actual, expected]: readonly unknown[],
  reason: unknown,
): OutputLine {
  if (name === "assert.throws" || name === "assert.rejects") {
    return [of.replace(/^\(\) => /, ""), showError(reason, expected)];
  }
  if (name === "assert.match") return [of, `text that matches ${to}`];
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
    let reason: unknown;
    const call = values[0];
    const keep = (thrown: unknown): never => {
      reason = thrown;
      throw thrown;
    };
    if (typeof call === "function") {
      values[0] = () => {
        try {
          const result: unknown = call();
          return result instanceof Promise ? result.catch(keep) : result;
        } catch (thrown) {
          return keep(thrown);
        }
      };
    }
    const outcome = check(...values);
    const found = () => add(lineOf(places[index]!, values, reason));
    return outcome instanceof Promise ? outcome.then(found) : found();
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
