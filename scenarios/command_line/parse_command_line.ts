import { parseArgs } from "@std/cli/parse-args";
import { editDistance } from "./edit_distance.ts";
import { HelpRequest } from "./help_request.ts";
import { UsageError } from "./usage_error.ts";
import { wrapProse } from "./wrap_prose.ts";

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
