import { type RuntimeName, runtimeNames } from "../../runtimes/current_runtime.ts";
import { type ColumnName, columns } from "../../scenarios/extract/columns.ts";
import { csvFormat } from "../../scenarios/extract/csv_format.ts";
import { defaultColumns } from "../../scenarios/extract/default_columns.ts";
import type { ExtractOptions } from "../../scenarios/extract/extract.ts";
import { isSourceAddress } from "../../scenarios/extract/open_source.ts";
import { parseCommandLine } from "../command_line/parse_command_line.ts";
import { UsageError } from "../command_line/usage_error.ts";
import { readPeriod } from "./read_period.ts";

/** What the command line asks for. */
export interface ExtractFlags
  extends Omit<ExtractOptions, "source" | "output" | "signal" | "onRows"> {
  /** `undefined`: the generated file. */
  readonly source: string | undefined;
  /** `-` is standard output. */
  readonly out: string;
  /** `undefined`: on a terminal. */
  readonly progress: boolean | undefined;
  readonly runtime: RuntimeName | undefined;
}

const spec = {
  command: "deno task extract",
  about: "Writes the messages of a period as CSV, one row each, by time, then id.\n" +
    "Without --source it reads generated data, for which --from and --to need not be given.",
  flags: {
    source: { kind: "text", value: "S", about: "sqlite:FILE or mongodb://…; default: generated" },
    from: { kind: "text", value: "DATE", about: "first instant of the period: a date or a time" },
    to: { kind: "text", value: "DATE", about: "first instant after the period" },
    "time-zone": { kind: "text", value: "Z", about: "of dates without one; default: UTC" },
    out: { kind: "text", value: "FILE", about: "- is standard output; default: conversations.csv" },
    columns: { kind: "list", value: "C,…", about: "in order", choices: Object.keys(columns) },
    delimiter: { kind: "text", value: "C", about: "one character, or \\t; default: a comma" },
    "escape-formulas": { kind: "boolean", about: "an apostrophe before formulas; the default" },
    "no-escape-formulas": { kind: "boolean", about: "texts as they are" },
    "batch-size": {
      kind: "integer",
      about: "rows or documents fetched at a time; default: 100",
      minimum: 1,
      maximum: 100_000,
    },
    partitions: {
      kind: "integer",
      about: "cursors over parts of the period, read at the same time; default: 1",
      minimum: 1,
      maximum: 64,
    },
    hwm: {
      kind: "integer",
      about: "batches, or pieces of 256 KiB, each cursor may be ahead; default: 2",
      minimum: 1,
      maximum: 1_000,
    },
    projection: { kind: "boolean", about: "fetches only what the columns need; the default" },
    "no-projection": { kind: "boolean", about: "fetches everything" },
    "on-bad-document": {
      kind: "text",
      value: "A",
      about: "default: fail",
      choices: ["fail", "skip"],
    },
    progress: { kind: "boolean", about: "shows it also where it is no terminal" },
    "no-progress": { kind: "boolean", about: "never shows it" },
    runtime: {
      kind: "text",
      value: "R",
      about: "default: the one that runs this",
      choices: runtimeNames,
    },
  },
} as const;

/** A flag that may be given as `--name` and as `--no-name`, but not both. */
function readSwitch(name: string, yes: boolean, no: boolean): boolean | undefined {
  if (yes && no) throw new UsageError(`Only one of --${name} and --no-${name} can be given`);
  return yes ? true : no ? false : undefined;
}

/** Gives values to the two flags whose values look like none. */
function spellOut(args: readonly string[]): string[] {
  const spelt: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const [name, value] = [args[index]!, args[index + 1]];
    // A --source without a value asks for what is the default anyway.
    if (name === "--source" && (value === undefined || value.startsWith("--"))) continue;
    if (name === "--out" && value === "-") {
      spelt.push("--out=-");
      index++;
    } else spelt.push(name);
  }
  return spelt;
}

/**
 * Reads the command line of `deno task extract`.
 *
 * @throws {UsageError} If something in it is wrong.
 */
export function readExtractFlags(args: readonly string[]): ExtractFlags {
  const flags = parseCommandLine(spellOut(args), spec);
  const { source, out = "conversations.csv" } = flags;
  if (source !== undefined && !isSourceAddress(source)) {
    throw new UsageError(`--source must be sqlite:FILE or mongodb://…, got ${source}`);
  }
  const csv = {
    columns: (flags.columns ?? defaultColumns) as readonly ColumnName[],
    delimiter: flags.delimiter === "\\t" ? "\t" : flags.delimiter ?? ",",
    escapeFormulas:
      readSwitch("escape-formulas", flags["escape-formulas"], flags["no-escape-formulas"]) ?? true,
  };
  try {
    csvFormat(csv);
  } catch (error) {
    throw new UsageError(`--delimiter: ${(error as Error).message}`);
  }
  return {
    source,
    out,
    ...csv,
    period: readPeriod(flags, source === undefined),
    batchSize: flags["batch-size"] ?? 100,
    partitions: flags.partitions ?? 1,
    highWaterMark: flags.hwm ?? 2,
    projection: readSwitch("projection", flags.projection, flags["no-projection"]) ?? true,
    onBadDocument: (flags["on-bad-document"] ?? "fail") as "fail" | "skip",
    progress: readSwitch("progress", flags.progress, flags["no-progress"]),
    runtime: flags.runtime as RuntimeName | undefined,
  };
}
