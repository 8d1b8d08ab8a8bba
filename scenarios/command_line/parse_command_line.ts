import { resolve } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { levenshteinDistance } from "@std/text/levenshtein-distance";
import { project } from "../../runtimes/descriptor.ts";

/**
 * Makes a path of the command line absolute, from the folder in which the command was typed: `deno task`
 * runs it in the project's, and says in `INIT_CWD` where it came from.
 */
export function resolvePath(path: string): string {
  const { INIT_CWD } = process.env;
  // Elsewhere it is left over from a task that this command has nothing to do with.
  const isTask = INIT_CWD !== undefined && process.cwd() === project;
  return isTask ? resolve(INIT_CWD, path) : resolve(path);
}

/** Lays cells out in columns, the first to the left and the others to the right, two spaces apart. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => widths[column] = Math.max(widths[column] ?? 0, cell.length));
  }
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)
      )
      .join("  ")
      .trimEnd()
  );
}

function splitWords(text: string): string[] {
  const words: string[] = [];
  let inCode = false;
  for (const part of text.split(/\s/)) {
    if (inCode) words.push(`${words.pop()} ${part}`);
    else if (part !== "") words.push(part);
    if (part.split("`").length % 2 === 0) inCode = !inCode;
  }
  return words;
}

/** Wraps a paragraph as `deno fmt` does, which never breaks inside `code`. */
export function wrapProse(text: string, width = 100): string {
  const lines: string[] = [];
  for (const word of splitWords(text)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return lines.join("\n");
}

/** `--help` was asked for: its text goes to stdout, and the process exits 0. */
export class HelpRequest extends Error {}

/** The command line was wrong: its message goes to stderr alone, and the process exits 2. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** The flag that was probably meant, such as `--workload` for `--worklod`; undefined if none is near. */
function nearestFlag(typed: string, names: readonly string[]): string | undefined {
  const name = typed.replace(/^-+/, "");
  const lettersOf = (text: string) => [...text].sort().join("");
  // Letters that are swapped are one mistake.
  const awayOf = (known: string) =>
    lettersOf(name) === lettersOf(known) ? 1 : levenshteinDistance(name, known);
  const [best] = names.map((known) => ({ known, away: awayOf(known) }))
    .sort((one, other) => one.away - other.away);
  return best !== undefined && best.away <= Math.max(1, Math.floor(best.known.length / 4))
    ? `--${best.known}`
    : undefined;
}

/** One flag of a command. */
export interface FlagSpec {
  /**
   * `boolean`: takes no value. `text`: one value, the last one wins. `list`: values between commas,
   * repeatable. `texts`: repeatable, commas kept. `integer`: a whole number within `minimum` and
   * `maximum`.
   */
  readonly kind: "boolean" | "text" | "texts" | "list" | "integer";
  /** What `--help` says. */
  readonly about: string;
  /** What holds where a `text` or `integer` is not given; `--help` says it. */
  readonly default?: string | number;
  /** What the value is called in `--help`. */
  readonly value?: string;
  /** The only values of a `text` or `list`. */
  readonly choices?: readonly string[];
  /** The heading in `--help` of this flag and those after it. */
  readonly group?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A command: its name, what it does, its flags. */
export interface CommandSpec<Flags extends Record<string, FlagSpec>> {
  /** As it is typed, such as `deno task bench`. */
  readonly command: string;
  /** What it does; `--help` wraps it, and begins a line where a sentence does. */
  readonly about: string;
  readonly flags: Flags;
  /** Two command lines as people type them, for `--help`. */
  readonly examples: readonly [string, string, ...string[]];
  /** How arguments without a flag are called, such as `01..06`; default: there are none. */
  readonly positional?: string;
}

interface FlagValues<Choice> {
  boolean: boolean;
  text: Choice;
  texts: string[];
  list: Choice[];
  integer: number;
}

type Choice<Spec extends FlagSpec> = Spec extends { choices: readonly (infer One)[] } ? One
  : string;

type FlagValue<Spec extends FlagSpec> =
  | FlagValues<Choice<Spec>>[Spec["kind"]]
  | (Spec extends { kind: "boolean" | "texts" } | { default: unknown } ? never : undefined);

/** What the flags came to: `undefined` where one was not given and has no default. */
export type CommandLine<Flags extends Record<string, FlagSpec>> =
  & { readonly [Name in keyof Flags]: FlagValue<Flags[Name]> }
  & { readonly _: readonly string[] };

const helpColumns = 80;

/** Wraps a text. A sentence that begins a line still does, and lines of a list, which are indented, stay as they are. */
function wrapAbout(text: string): string {
  const paragraphs: string[] = [];
  for (const line of text.split("\n")) {
    const last = paragraphs.at(-1) ?? ".";
    const goesOn = !/[.:]$/.test(last) && !last.startsWith(" ") && !line.startsWith(" ");
    paragraphs.push(goesOn ? `${paragraphs.pop()} ${line}` : line);
  }
  return paragraphs
    .map((one) => one.startsWith(" ") ? one : wrapProse(one, helpColumns)).join("\n");
}

/** What stands beside a name of `width`, its other lines under the first. */
function wrapBeside(text: string, width: number): string {
  const indent = " ".repeat(width + 4);
  return wrapProse(text, helpColumns - indent.length).replaceAll("\n", `\n${indent}`);
}

function helpOf(
  { command, about, flags, positional, examples }: CommandSpec<Record<string, FlagSpec>>,
) {
  const left = Object.entries(flags).map(([name, { kind, value }]) =>
    kind === "boolean" ? `--${name}` : `--${name} ${value ?? (kind === "integer" ? "N" : "VALUE")}`
  );
  const width = Math.max(...left.map(({ length }) => length), "--help".length);
  const lines = Object.values(flags).map((flag, index) => {
    const { about, choices, group, default: absent } = flag;
    const parts = [about, absent === undefined ? "" : `default: ${absent}`].filter(Boolean);
    const text = `${parts.join("; ")}${choices ? ` (${choices.join(", ")})` : ""}`;
    const head = group === undefined ? "" : `${index === 0 ? "" : "\n"}${group}:\n`;
    return `${head}  ${left[index]!.padEnd(width)}  ${wrapBeside(text, width)}`;
  });
  const usage = [command, positional, "[flags]"].filter(Boolean).join(" ");
  return [
    ...[
      wrapAbout(about),
      "",
      `Usage: ${usage}`,
      "",
      ...lines,
      `  ${"--help".padEnd(width)}  this text`,
    ],
    ...["", "Examples:", ...examples.map((line) => `  ${line}`)],
  ].join("\n");
}

function readFlag(
  name: string,
  spec: FlagSpec,
  given: readonly (string | undefined)[] = [],
): unknown {
  if (spec.kind === "boolean") {
    if (given.some((value) => value !== undefined)) {
      throw new UsageError(`--${name} takes no value`);
    }
    return given.length > 0;
  }
  const all = given.filter((value) => value !== undefined && value !== "") as string[];
  if (all.length < given.length) throw new UsageError(`--${name} needs a value: ${spec.about}`);
  if (spec.kind === "texts") return all;
  if (all.length === 0) return spec.default;
  if (spec.kind === "integer") {
    const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = spec;
    const text = all.at(-1)!;
    const value = Number(text);
    if (/^-?\d+$/.test(text) && value >= minimum && value <= maximum) return value;
    throw new UsageError(
      `--${name} must be an integer from ${minimum} to ${maximum}, got ${JSON.stringify(text)}`,
    );
  }
  const values = spec.kind === "list"
    ? [...new Set(all.join(",").split(",").map((text) => text.trim()).filter(Boolean))]
    : [all.at(-1)!];
  const wrong = spec.choices && values.find((value) => !spec.choices!.includes(value));
  if (wrong !== undefined) {
    throw new UsageError(`--${name} must be one of ${spec.choices!.join(", ")}, got ${wrong}`);
  }
  if (values.length === 0) throw new UsageError(`--${name} needs a value: ${spec.about}`);
  return spec.kind === "list" ? values : values[0];
}

/**
 * Reads a command line by its specification.
 *
 * @throws {UsageError} If a flag is unknown or a value is not one it takes.
 */
export function parseCommandLine<const Flags extends Record<string, FlagSpec>>(
  args: readonly string[],
  spec: CommandSpec<Flags>,
): CommandLine<Flags> {
  const flags: Record<string, FlagSpec> = { ...spec.flags, help: { kind: "boolean", about: "" } };
  const options = Object.entries(flags).map(([name, { kind }]) =>
    [name, {
      type: kind === "boolean" ? "boolean" : "string",
      multiple: true,
      ...name === "help" && { short: "h" },
    }] as const
  );
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(options),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const known = `the flags are ${Object.keys(flags).map((name) => `--${name}`).join(", ")}`;
  const given: Record<string, (string | undefined)[]> = {};
  const rest: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") rest.push(token.value);
    if (token.kind !== "option") continue;
    const { name, value, inlineValue } = token;
    if (!Object.hasOwn(flags, name)) {
      // As it was typed: of `-runtime` a letter alone would be named.
      const typed = args[token.index]!.split("=")[0]!;
      const near = nearestFlag(typed, Object.keys(flags));
      const hint = near === undefined ? known : `did you mean ${near}?`;
      throw new UsageError(`Unknown flag ${typed}; ${hint}`);
    }
    // A number with a minus is a value, and not the name of a flag.
    const isFlag = !inlineValue && /^-(?!\d+$)./.test(value ?? "");
    (given[name] ??= []).push(isFlag ? undefined : value);
    if (isFlag && /^(?:--help|-h)$/.test(value!)) given.help = [];
  }
  if (given.help) throw new HelpRequest(helpOf(spec));
  if (rest.length > 0 && spec.positional === undefined) {
    throw new UsageError(`Unknown argument ${rest[0]}; ${known}`);
  }
  const values = Object.entries(spec.flags).map(([name, flag]) => [
    name,
    readFlag(name, flag, given[name]),
  ]);
  return Object.fromEntries([...values, ["_", rest]]);
}
