import { parseArgs } from "@std/cli/parse-args";
import { resolve } from "node:path";
import process from "node:process";
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

/** How many letters must be put in, left out, changed or swapped with the next to make one text of another. */
export function editDistance(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (isSame ? 0 : 1));
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] &&
        one[i - 2] === other[j - 1];
      if (isSwapped) next[j] = Math.min(next[j]!, before[j - 2]! + 1);
    }
    [before, row] = [row, next];
  }
  return row[other.length]!;
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
  const [best] = [...names, "help"].map((known) => ({ known, away: editDistance(name, known) }))
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
  /** What `--help` says, with the default. */
  readonly about: string;
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

interface FlagValues {
  boolean: boolean;
  text: string | undefined;
  texts: string[];
  list: string[] | undefined;
  integer: number | undefined;
}

/** What the flags came to: `undefined` where one was not given. */
export type CommandLine<Flags extends Record<string, FlagSpec>> =
  & { readonly [Name in keyof Flags]: FlagValues[Flags[Name]["kind"]] }
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
  const lines = Object.values(flags).map(({ about, choices, group }, index) =>
    `${group === undefined ? "" : `${index === 0 ? "" : "\n"}${group}:\n`}  ${
      left[index]!.padEnd(width)
    }  ${wrapBeside(choices ? `${about} (${choices.join(", ")})` : about, width)}`
  );
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

function readFlag(name: string, spec: FlagSpec, given: unknown): unknown {
  const all: string[] = given === undefined ? [] : (Array.isArray(given) ? given : [given]);
  if (all.includes("")) throw new UsageError(`--${name} needs a value: ${spec.about}`);
  if (spec.kind === "texts") return all;
  if (all.length === 0) return undefined;
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
  const entries: [name: string, spec: FlagSpec][] = Object.entries(spec.flags);
  const booleans = entries.filter(([, { kind }]) => kind === "boolean").map(([name]) => name);
  const texts = entries.filter(([, { kind }]) => kind !== "boolean").map(([name]) => name);
  const names = [...entries.map(([name]) => name), "help"].map((name) => `--${name}`).join(", ");

  // A number with a minus is a value, and not the name of a flag.
  const valued = texts.map((name) => `--${name}`);
  const joined: string[] = [];
  const last = args.indexOf("--");
  for (const [at, argument] of args.entries()) {
    // The parser keeps what is no flag under this name.
    if (/^--?(?:no-)?h*_/.test(argument) && (last < 0 || at < last)) {
      throw new UsageError(`Unknown flag ${argument.split("=")[0]}; the flags are ${names}`);
    }
    const isValue = /^-\d+$/.test(argument) && valued.includes(joined.at(-1) ?? "");
    if (isValue) joined.push(`${joined.pop()}=${argument}`);
    else joined.push(argument);
  }
  const parsed: Record<string, unknown> & { _: unknown[] } = parseArgs(joined, {
    boolean: [...booleans, "help"],
    string: [...texts, "_"],
    collect: texts,
    alias: { h: "help" },
    unknown(argument: string, key?: string): boolean {
      if (key !== undefined) {
        const flag = argument.split("=")[0]!;
        const near = nearestFlag(flag, entries.map(([name]) => name));
        throw new UsageError(
          `Unknown flag ${flag}; ${
            near === undefined ? `the flags are ${names}` : `did you mean ${near}?`
          }`,
        );
      }
      return true;
    },
  });
  if (parsed.help) throw new HelpRequest(helpOf(spec));
  const wrong = args.find((argument) => booleans.includes(/^--([^=]+)=/.exec(argument)?.[1] ?? ""));
  if (wrong !== undefined) throw new UsageError(`${wrong.split("=")[0]} takes no value`);
  if (parsed._.length > 0 && spec.positional === undefined) {
    throw new UsageError(`Unknown argument ${parsed._[0]}; the flags are ${names}`);
  }
  const values = entries.map(([name, flag]) => [
    name,
    flag.kind === "boolean" ? parsed[name] === true : readFlag(name, flag, parsed[name]),
  ]);
  return Object.fromEntries([...values, ["_", parsed._.map(String)]]);
}
