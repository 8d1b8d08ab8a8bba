import { compressions } from "../extract/compressed_output.ts";
import { encodings } from "./refuse_utf16.ts";
import { isTargetAddress, targetKinds } from "./open_target.ts";
import { readAddress } from "../secrets/read_address.ts";
import { checkCsvMarks } from "../../src/formats/check_csv_marks.ts";
import { parseCommandLine, resolvePath, UsageError } from "../command_line/parse_command_line.ts";
import { guessByName } from "../extract/guess_by_name.ts";

const formats = ["csv", "ndjson"] as const;

/** What the command line asks for. */
export interface LoadFlags {
  /** `-` is standard input. */
  readonly path: string;
  readonly target: string;
  readonly table: string;
  readonly format: (typeof formats)[number];
  readonly compress: (typeof compressions)[number] | undefined;
  readonly encoding: (typeof encodings)[number];
  readonly delimiter: string;
  readonly nullText: string;
  readonly batchSize: number;
  readonly timeoutMs: number;
  /** Whether the input ends with the mark that `extract --end-mark` gives. */
  readonly isEndExpected: boolean;
  /** Where rows go that cannot be loaded; `undefined`: the first of them fails the run. */
  readonly dead: string | undefined;
  readonly isQuiet: boolean;
  readonly isJson: boolean;
}

const spec = {
  command: "deno task load",
  about:
    "Puts the rows of a file of CSV or NDJSON into a table: all of them or, if it fails, none.",
  examples: [
    "deno task load --in orders.csv.gz --target sqlite:shop.db --table orders",
    "deno task load --in orders.ndjson --target postgres://me@db/shop --table orders --dead dead.ndjson",
  ],
  flags: {
    in: { kind: "text", value: "FILE", about: "what to load; - is standard input" },
    target: { kind: "text", value: "T", about: targetKinds },
    table: { kind: "text", value: "T", about: "a table that is there; columns go by name" },
    format: {
      kind: "text",
      value: "F",
      about: "default: by the file's name, or csv",
      choices: formats,
    },
    compress: {
      kind: "text",
      value: "C",
      about: "default: by the file's name, .gz or .zst",
      choices: [...compressions, "none"],
    },
    encoding: {
      kind: "text",
      value: "E",
      about: "of the text; default: utf-8, and what is not is refused",
      choices: encodings,
    },
    delimiter: { kind: "text", value: "C", about: "csv: one character; default: a comma" },
    null: {
      kind: "text",
      value: "TEXT",
      about: "csv: text for NULL, if not quoted; default: empty",
    },
    "expect-end": {
      kind: "boolean",
      about: "load nothing unless the input ends with the mark of extract --end-mark",
    },
    dead: {
      kind: "text",
      value: "FILE",
      about: "where rows go that cannot be loaded, as NDJSON; default: the first fails the run",
    },
    "batch-size": {
      kind: "integer",
      about: "rows in one statement, at most; default: 500",
      minimum: 1,
      maximum: 100_000,
    },
    timeout: {
      kind: "integer",
      about: "seconds a target may be locked; default: 30",
      minimum: 1,
      maximum: 86_400,
    },
    quiet: { kind: "boolean", about: "print problems only" },
    json: { kind: "boolean", about: "print the totals as JSON" },
  },
} as const;

/** A lone dash looks like no value to what reads command lines. */
function joinDash(args: readonly string[]): string[] {
  return args.flatMap((arg, at) => {
    if (arg === "-" && args[at - 1] === "--in") return [];
    return [arg === "--in" && args[at + 1] === "-" ? "--in=-" : arg];
  });
}

/**
 * Reads the command line of `deno task load`.
 *
 * @throws {UsageError} If something in it is wrong.
 */
export function readLoadFlags(args: readonly string[]): LoadFlags {
  const flags = parseCommandLine(joinDash(args), spec);
  const { in: path, target, table, delimiter = ",", compress, dead } = flags;
  if (path === undefined) throw new UsageError("--in is needed: a file, or - for standard input");
  if (target === undefined) throw new UsageError(`--target is needed: ${targetKinds}`);
  if (table === undefined) throw new UsageError("--table is needed: a table that is there");
  if (!isTargetAddress(target)) {
    throw new UsageError(`--target must be ${targetKinds}, got ${readAddress(target).name}`);
  }
  const guess = guessByName(path);
  const format = flags.format ?? guess.format ?? "csv";
  if (!formats.some((name) => name === format)) {
    throw new UsageError(`Cannot load ${path}: it must be ${formats.join(" or ")}, got ${format}`);
  }
  for (const flag of ["delimiter", "null"] as const) {
    if (flags[flag] !== undefined && format !== "csv") {
      throw new UsageError(`--${flag} is of csv, not of ${format}`);
    }
  }
  const mark = delimiter === "\\t" ? "\t" : delimiter;
  try {
    checkCsvMarks("load CSV", mark, '"');
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const file = /^sqlite:(.+)$/s.exec(target)?.[1];
  return {
    path: path === "-" ? "-" : resolvePath(path),
    target: file === undefined ? target : `sqlite:${resolvePath(file)}`,
    ...{ table, format: format as LoadFlags["format"], delimiter: mark },
    compress: compress === undefined
      ? guess.compress
      : compress === "none"
      ? undefined
      : compress as LoadFlags["compress"],
    encoding: (flags.encoding ?? "utf-8") as LoadFlags["encoding"],
    nullText: flags.null ?? "",
    isEndExpected: flags["expect-end"],
    batchSize: flags["batch-size"] ?? 500,
    timeoutMs: (flags.timeout ?? 30) * 1000,
    dead: dead === undefined ? undefined : resolvePath(dead),
    ...{ isQuiet: flags.quiet, isJson: flags.json },
  };
}
