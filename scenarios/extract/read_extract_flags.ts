import { type RuntimeName, runtimeNames } from "../../runtimes/current_runtime.ts";
import { compressions } from "./compressed_output.ts";
import { conversationTitles, defaultConversationTitles } from "./conversations.ts";
import type { ExtractOptions } from "./extract.ts";
import { createFormat } from "./formats/create_format.ts";
import { formatNames } from "./formats/format_options.ts";
import { isSourceAddress, sourceKinds } from "./open_source.ts";
import { type Selection, timeUnits } from "./selection.ts";
import { readAddress } from "../secrets/read_address.ts";
import type { OnBadRow } from "./skipped.ts";
import { parseCommandLine } from "../command_line/parse_command_line.ts";
import { resolvePath } from "../command_line/resolve_path.ts";
import { UsageError } from "../command_line/usage_error.ts";
import { guessByName } from "./guess_by_name.ts";
import { readFields, readOrder } from "./read_fields.ts";
import { readPeriod } from "./read_period.ts";
import { readResume, spellOutResume } from "./read_resume.ts";
import { readSize } from "./read_size.ts";

/** What the command line asks for. */
export interface ExtractFlags
  extends Omit<ExtractOptions, "source" | "output" | "resume" | "signal" | "onProgress"> {
  /** `undefined`: the generated file. */
  readonly source: string | undefined;
  readonly selection: Selection;
  /** `-` is standard output. */
  readonly out: string;
  readonly compress: (typeof compressions)[number] | undefined;
  /** `undefined`: on a terminal. */
  readonly progress: boolean | undefined;
  readonly isQuiet: boolean;
  readonly isJson: boolean;
  readonly isSnapshot: boolean;
  /** `undefined`: nothing outlives a run. */
  readonly resume: ReturnType<typeof readResume>;
  readonly runtime: RuntimeName | undefined;
}

/** SQLite takes none that are larger, by default. */
const mostValueBytes = 2 ** 30;

const spec = {
  command: "deno task extract",
  about: [
    "Writes the rows of a table, a query or a collection to a file. Without --table, --query and",
    "--collection it exports the messages of a period; without --source, of generated data.",
  ].join("\n"),
  examples: [
    "deno task extract --source sqlite:shop.db --table orders --out orders.csv",
    "deno task extract --source postgres://me@db/shop --query 'SELECT id, total FROM orders' --out -",
  ],
  flags: {
    source: {
      group: "What to read",
      kind: "text",
      value: "S",
      about: `${sourceKinds}; default: generated`,
    },
    table: { kind: "text", value: "T", about: "a table or a view" },
    query: { kind: "text", value: "SQL", about: "one SELECT" },
    collection: { kind: "text", value: "C", about: "a collection of MongoDB" },
    filter: { kind: "text", value: "JSON", about: "which documents of the collection" },
    "row-security": {
      kind: "boolean",
      about: "PostgreSQL: export only the rows that row-level security shows; default: refuse",
    },
    fields: {
      kind: "text",
      value: "F,…",
      about: "names or paths; append :NAME to rename",
    },
    "time-field": {
      group: "Which rows, in which order",
      kind: "text",
      value: "F",
      about: "the field that places rows in time",
    },
    "time-unit": {
      kind: "text",
      value: "U",
      about: "unit of a numeric or text time; default: inferred from the first row",
      choices: timeUnits,
    },
    from: { kind: "text", value: "DATE", about: "first instant of the period: a date or a time" },
    to: { kind: "text", value: "DATE", about: "first instant after the period" },
    "time-zone": { kind: "text", value: "Z", about: "for dates without a zone; default: UTC" },
    "order-by": { kind: "text", value: "F,…", about: "fields; append :desc for descending order" },
    out: {
      group: "Where to write",
      kind: "text",
      value: "FILE",
      about: "- is standard output; default: extract.csv",
    },
    resume: {
      kind: "text",
      value: "HOW",
      about: "new-snapshot: go on where a run with this flag ended; its snapshot is gone",
    },
    checkpoint: {
      kind: "text",
      value: "SIZE",
      about: "with --resume: the most output that a run may lose; default: 8MiB",
    },
    force: { kind: "boolean", about: "replace the file even if there are no rows" },
    format: {
      group: "How to write",
      kind: "text",
      value: "F",
      about: "default: by the file's name, or csv",
      choices: formatNames,
    },
    compress: {
      kind: "text",
      value: "C",
      about: "default: by the file's name, .gz or .zst",
      choices: [...compressions, "none"],
    },
    header: { kind: "boolean", about: "write a header line; the default" },
    "no-header": { kind: "boolean", about: "write no header line" },
    null: { kind: "text", value: "TEXT", about: "text for NULL; default: empty" },
    quote: {
      kind: "text",
      value: "Q",
      about: "csv: quote what needs it, or all; default: minimal",
      choices: ["minimal", "all"],
    },
    delimiter: { kind: "text", value: "C", about: "csv: one character; default: a comma" },
    bom: { kind: "boolean", about: "begin with a byte order mark, for Excel" },
    "escape-formulas": {
      kind: "boolean",
      about: "put an apostrophe before texts a spreadsheet would run",
    },
    "end-mark": {
      kind: "boolean",
      about: "end with a line that says how many rows there are, for load --expect-end",
    },
    "max-value": {
      group: "Limits",
      kind: "text",
      value: "SIZE",
      about: "largest value; default: 64MiB",
    },
    timeout: {
      kind: "integer",
      about: "seconds a source may be locked or silent; default: 30",
      minimum: 1,
      maximum: 86_400,
    },
    "on-bad-row": {
      kind: "text",
      value: "A",
      about: "for a row without a time, or too large; default: fail",
      choices: ["fail", "skip"],
    },
    "batch-size": {
      group: "How to read",
      kind: "integer",
      about: "rows or documents fetched at a time; default: 500",
      minimum: 1,
      maximum: 100_000,
    },
    partitions: {
      kind: "integer",
      about: "cursors over parts, read at the same time; default: 1",
      minimum: 1,
      maximum: 64,
    },
    threads: {
      kind: "integer",
      about: "threads for the parts of a SQLite file; default: one a core, at most 4",
      minimum: 1,
      maximum: 64,
    },
    hwm: {
      kind: "integer",
      about: "how many pieces of 256 KiB each cursor may read ahead; default: 2",
      minimum: 1,
      maximum: 1_000,
    },
    "no-projection": { kind: "boolean", about: "fetch all fields, to see the cost" },
    "no-snapshot": {
      kind: "boolean",
      about:
        "read the SQLite file itself even if the output is a pipe: writers wait for its reader",
    },
    progress: {
      group: "What to print, and where to run",
      kind: "boolean",
      about: "show progress even when output is not a terminal",
    },
    "no-progress": { kind: "boolean", about: "never show progress" },
    quiet: { kind: "boolean", about: "print problems only" },
    json: { kind: "boolean", about: "print the totals as JSON" },
    runtime: {
      kind: "text",
      value: "R",
      about: "default: the one that runs this",
      choices: runtimeNames,
    },
  },
} as const;

type Flags = ReturnType<typeof parseCommandLine<typeof spec.flags>>;

/** A flag that may be given as `--name` and as `--no-name`, but not both. */
function readSwitch(name: string, yes: boolean, no: boolean): boolean | undefined {
  if (yes && no) throw new UsageError(`Only one of --${name} and --no-${name} can be given`);
  return yes ? true : no ? false : undefined;
}

/** Gives their values to flags whose values look like none. */
function spellOut(args: readonly string[]): string[] {
  const spelt: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const [name, value] = [args[index]!, args[index + 1]];
    const isValue = value === "" ? name.startsWith("--") : name === "--out" && value === "-";
    spelt.push(isValue ? `${name}=${value}` : name);
    if (isValue) index++;
  }
  return spelt;
}

function readSource(source: string | undefined): string | undefined {
  if (source === undefined) return undefined;
  if (!isSourceAddress(source)) {
    throw new UsageError(`--source must be ${sourceKinds}, got ${readAddress(source).name}`);
  }
  const path = /^sqlite:(.+)$/s.exec(source)?.[1];
  return path === undefined ? source : `sqlite:${resolvePath(path)}`;
}

function readFrom(flags: Flags): Selection["from"] {
  const { table, query, collection, filter, source } = flags;
  const given = Object.entries({ table, query, collection })
    .filter(([, value]) => value !== undefined).map(([name]) => `--${name}`);
  if (given.length > 1) throw new UsageError(`Only one of ${given.join(" and ")} can be given`);
  if (given.length > 0 && source === undefined) {
    throw new UsageError(`${given[0]} needs a --source: ${sourceKinds}`);
  }
  if (filter !== undefined) {
    if (collection === undefined) throw new UsageError("--filter needs a --collection");
    try {
      const value = JSON.parse(filter);
      if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error();
    } catch {
      throw new UsageError(`--filter must be a JSON object, got ${filter}`);
    }
  }
  if (table !== undefined) return { kind: "table", name: table };
  if (query !== undefined) return { kind: "query", sql: query };
  if (collection !== undefined) return { kind: "collection", name: collection, filter };
  return { kind: "conversations" };
}

function readFormat({ format, out = "" }: Flags): (typeof formatNames)[number] {
  return format as (typeof formatNames)[number] | undefined ?? guessByName(out).format ?? "csv";
}

function readCompression({ compress, out = "" }: Flags): ExtractFlags["compress"] {
  if (compress === undefined) return guessByName(out).compress;
  return compress === "none" ? undefined : compress as ExtractFlags["compress"];
}

function readSelection(flags: Flags): Selection {
  const from = readFrom(flags);
  const { source, "time-unit": unit } = flags;
  const isPreset = from.kind === "conversations";
  const timeField = isPreset ? "sent_at" : flags["time-field"];
  if (isPreset && (flags["time-field"] ?? flags["order-by"]) !== undefined) {
    const flag = flags["order-by"] === undefined ? "time-field" : "order-by";
    throw new UsageError(`--${flag} needs a --table, a --query or a --collection`);
  }
  if (timeField === undefined) {
    const needless = (["from", "to", "time-unit", "time-zone"] as const).find((name) =>
      flags[name] !== undefined
    );
    if (needless !== undefined) throw new UsageError(`--${needless} needs a --time-field`);
  }
  const fields = flags.fields === undefined ? undefined : readFields(flags.fields);
  if (isPreset) {
    const wrong = fields?.find(({ path }) => !conversationTitles.some((title) => title === path));
    if (wrong !== undefined) {
      throw new UsageError(
        `--fields must be of ${conversationTitles.join(", ")}, got ${wrong.path}`,
      );
    }
  }
  const isWhole = from.kind === "collection" && fields === undefined;
  if (isWhole && readFormat(flags) !== "ndjson") {
    throw new UsageError(
      "--fields is needed, for documents need not all have the same; or take --format ndjson",
    );
  }
  return {
    from,
    fields: fields ??
      (isPreset ? defaultConversationTitles.map((title) => ({ path: title, title })) : undefined),
    time: timeField === undefined ? undefined : {
      field: timeField,
      period: readPeriod(flags, source === undefined),
      unit: isPreset ? "ms" : unit as (typeof timeUnits)[number] | undefined,
    },
    orderBy: flags["order-by"] === undefined ? undefined : readOrder(flags["order-by"]),
    maxValueBytes: readSize("--max-value", flags["max-value"] ?? "64MiB", mostValueBytes),
    timeoutMs: (flags.timeout ?? 30) * 1000,
    isPartial: flags["row-security"],
  };
}

/**
 * Reads the command line of `deno task extract`.
 *
 * @throws {UsageError} If something in it is wrong.
 */
export function readExtractFlags(args: readonly string[]): ExtractFlags {
  const flags = parseCommandLine(spellOut(spellOutResume(args)), spec);
  const source = readSource(flags.source);
  const selection = readSelection(flags);
  const name = readFormat(flags);
  for (const flag of ["quote", "delimiter"] as const) {
    if (flags[flag] !== undefined && name !== "csv") {
      throw new UsageError(`--${flag} is of csv, not of ${name}`);
    }
  }
  for (const flag of ["null", "escape-formulas"] as const) {
    if (flags[flag] && name === "ndjson") throw new UsageError(`--${flag} is not of ndjson`);
  }
  const format = {
    format: name,
    header: readSwitch("header", flags.header, flags["no-header"]) ?? true,
    nullText: flags.null ?? "",
    quote: (flags.quote ?? "minimal") as "minimal" | "all",
    delimiter: flags.delimiter === "\\t" ? "\t" : flags.delimiter ?? ",",
    bom: flags.bom,
    escapeFormulas: flags["escape-formulas"],
  };
  try {
    createFormat({ ...format, titles: selection.fields?.map(({ title }) => title) ?? ["a", "b"] });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const { threads } = flags;
  const partitions = flags.partitions ?? threads ?? 1;
  if (partitions > 1 && selection.from.kind === "query") {
    throw new UsageError(
      `--${
        flags.partitions === undefined ? "threads" : "partitions"
      } needs a --table or a --collection: a query has no known key`,
    );
  }
  const { out = "extract.csv" } = flags;
  const path = isStandardOutput(out) ? "-" : resolvePath(out);
  return {
    source,
    selection,
    out: path,
    resume: readResume({ ...flags, out: path }),
    compress: readCompression(flags),
    ...{ format, partitions, threads, timeoutMs: selection.timeoutMs, isEmptyKept: flags.force },
    isEndMarked: flags["end-mark"],
    batchSize: flags["batch-size"] ?? 500,
    highWaterMark: flags.hwm ?? 2,
    projection: !flags["no-projection"],
    onBadRow: (flags["on-bad-row"] ?? "fail") as OnBadRow,
    progress: readSwitch("progress", flags.progress, flags["no-progress"]),
    ...{ isQuiet: flags.quiet, isJson: flags.json, isSnapshot: !flags["no-snapshot"] },
    runtime: flags.runtime as RuntimeName | undefined,
  };
}

/** Whether a path is this process's standard output: opened by its name it would be truncated. */
function isStandardOutput(path: string): boolean {
  return ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].includes(path);
}
