import { type RuntimeName, runtimeNames } from "../../runtimes/current_runtime.ts";
import { compressions } from "./compressed_output.ts";
import { conversationTitles, defaultConversationTitles, sample } from "./conversations.ts";
import type { ExtractOptions } from "./extract.ts";
import { createFormat } from "./formats/create_format.ts";
import { formatNames } from "./formats/format_options.ts";
import { isSourceAddress, sourceKinds } from "./open_source.ts";
import { type Field, type OrderField, type Period, type Selection, timeUnits } from "./source.ts";
import { readAddress } from "../secrets/read_address.ts";
import type { OnBadRow } from "./skipped.ts";
import { parseCommandLine, resolvePath, UsageError } from "../command_line/parse_command_line.ts";
import { guessByName } from "./guess_by_name.ts";
import { seedStartMs } from "./seed/seed_contacts.ts";

/** What a parser of ISO 8601 would read besides, such as `20260131` or `24:00`, is more often a mistake than meant. */
const pattern =
  /^(\d{4}-\d\d-\d\d)(?:[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d(?:\.\d{1,3})?))?(Z|[+-]\d\d:\d\d)?)?$/;

/** As far from UTC as any place on Earth. */
const realOffset = /^(?:Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))$/;

const dayMs = 86_400_000;

function formatIn(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-US-u-ca-gregory-nu-latn", {
    timeZone,
    hourCycle: "h23",
    era: "short",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
}

/** Whether there is such a place: an offset is none, though it can be formatted in. */
function isTimeZone(name: string): boolean {
  try {
    return !/^[+-]/.test(name) && formatIn(name) !== undefined;
  } catch {
    return false;
  }
}

/** Milliseconds that the clocks of a place are ahead of UTC. */
function offsetAt(ms: number, format: Intl.DateTimeFormat): number {
  const parts: Record<string, string> = {};
  for (const { type, value } of format.formatToParts(ms)) parts[type] = value;
  const { era, year, month, day, hour, minute, second } = parts;
  // `Date.UTC` takes the years up to 99 for others.
  const clock = new Date(0).setUTCFullYear(
    era!.startsWith("B") ? 1 - Number(year) : Number(year),
    Number(month) - 1,
    Number(day),
  ) + ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000;
  return clock - Math.floor(ms / 1000) * 1000;
}

/** When the clocks of a place show that: the first time if twice, just past the gap if never. */
function instantOf(clockMs: number, timeZone: string): number {
  const format = formatIn(timeZone);
  const before = offsetAt(clockMs - dayMs, format);
  const instants = [before, offsetAt(clockMs + dayMs, format)].map((offset) => clockMs - offset)
    .filter((ms) => offsetAt(ms, format) === clockMs - ms);
  return instants.length === 0 ? clockMs - before : Math.min(...instants);
}

/**
 * Reads a date or a time, such as `2026-01-31`, `2026-01-31T08:30` or `2026-01-31T08:30:00Z`, as
 * milliseconds since the epoch. Where it has no offset of its own, it is what the clocks of
 * `timeZone` show: the first time if they show it twice, just past the gap if they never do; a date
 * alone is its midnight.
 *
 * @throws {RangeError} If it is neither, or if there is no such time zone.
 */
export function parseInstant(text: string, timeZone: string): number {
  const [, date, hour = "00", minute = "00", second = "00", offset] = pattern.exec(text) ?? [];
  const clockMs = Date.parse(`${date}T${hour}:${minute}:${second}Z`);
  // A day that its month does not have is read as one of the next.
  if (date === undefined || !new Date(clockMs || 0).toJSON().startsWith(date)) {
    throw new RangeError(
      `must be a date such as 2026-01-31 or a time such as 2026-01-31T08:30Z, got ${
        JSON.stringify(text)
      }`,
    );
  }
  if (offset === undefined) return instantOf(clockMs, timeZone);
  if (!realOffset.test(offset)) {
    throw new RangeError(
      `must have an offset from -14:00 to +14:00, got ${JSON.stringify(offset)}`,
    );
  }
  if (offset === "Z") return clockMs;
  const minutes = Number(offset.slice(1, 3)) * 60 + Number(offset.slice(4));
  return clockMs - Number(`${offset[0]}1`) * minutes * 60_000;
}

const units: Readonly<Record<string, number>> = { "": 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

/**
 * Reads a number of bytes such as `64MiB`.
 *
 * @throws {UsageError} If it is none, or more than `most`.
 */
function readSize(flag: string, text: string, most: number): number {
  const match = /^(\d+)(|KiB|MiB|GiB)$/.exec(text);
  const bytes = match === null ? NaN : Number(match[1]) * units[match[2]!]!;
  if (bytes >= 1 && bytes <= most) return bytes;
  throw new UsageError(
    `${flag} must be a number of bytes such as 64MiB, up to ${most / 2 ** 20}MiB, got ${text}`,
  );
}

const defaultEvery = "8MiB";
const mostBytes = 2 ** 30;

/** Where `--resume` alone stands in a command line, gives it a value that is refused with its reason. */
function spellOutResume(args: readonly string[]): string[] {
  return args.map((arg, index) =>
    arg === "--resume" && args[index + 1] !== "new-snapshot" ? "--resume=old-snapshot" : arg
  );
}

/**
 * Reads what there is to resuming; `undefined`: it is not asked for.
 *
 * @throws {UsageError} If it is asked for in vain.
 */
function readResume(
  { resume, checkpoint, out, threads }: {
    readonly resume: string | undefined;
    readonly checkpoint: string | undefined;
    readonly out: string;
    readonly threads: number | undefined;
  },
): { readonly everyBytes: number } | undefined {
  if (resume === undefined) {
    if (checkpoint !== undefined) throw new UsageError("--checkpoint needs --resume=new-snapshot");
    return undefined;
  }
  if (resume !== "new-snapshot") {
    throw new UsageError(
      "--resume must be --resume=new-snapshot: the snapshot of a run that was killed is gone, " +
        "so the rest is read as it is now",
    );
  }
  if (out === "-") throw new UsageError("--resume needs a file: nothing of a pipe can be kept");
  if (threads !== undefined) {
    throw new UsageError("--resume reads in one thread: leave out --threads");
  }
  return { everyBytes: readSize("--checkpoint", checkpoint ?? defaultEvery, mostBytes) };
}

/** The flags that make a period. */
interface PeriodFlags {
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly "time-zone": string | undefined;
}

/**
 * Reads a period from flags; where there is none the sample's is taken, if the sample is the source.
 *
 * @throws {UsageError} If a date or the zone is none, or the period is empty.
 */
function readPeriod(flags: PeriodFlags, isSample: boolean): Period {
  const timeZone = flags["time-zone"] ?? "UTC";
  if (!isTimeZone(timeZone)) {
    throw new UsageError(
      `--time-zone must be an IANA time zone such as UTC or Europe/Zurich, got ${timeZone}`,
    );
  }
  const read = (name: "from" | "to", sampleMs: number): number => {
    const text = flags[name];
    if (text === undefined && isSample) return sampleMs;
    if (text === undefined) {
      throw new UsageError(`--${name} is needed: a date such as 2026-01-31, or a time`);
    }
    try {
      return parseInstant(text, timeZone);
    } catch (error) {
      throw new UsageError(`--${name} ${(error as Error).message}`);
    }
  };
  const fromMs = read("from", seedStartMs);
  const toMs = read("to", seedStartMs + sample.days * 86_400_000);
  if (toMs <= fromMs) {
    const [from, to] = [fromMs, toMs].map((ms) => new Date(ms).toISOString());
    throw new UsageError(`--to must be after --from, got ${to} and ${from}`);
  }
  return { fromMs, toMs };
}

/** Splits at a character, but where a backslash stands before it. */
function splitAt(text: string, mark: string): string[] {
  const parts: string[] = [""];
  for (let index = 0; index < text.length; index++) {
    const isEscaped = text[index] === "\\" && index + 1 < text.length;
    if (isEscaped) parts[parts.length - 1] += text.slice(index, ++index + 1);
    else if (text[index] === mark) parts.push("");
    else parts[parts.length - 1] += text[index]!;
  }
  return parts;
}

const unescape = (text: string) => text.replaceAll(/\\(.)/gs, "$1");

/**
 * Reads names such as `id,contact.name:name`, each with what follows its colon; a backslash stands before a comma or a
 * colon of a name.
 *
 * @throws {UsageError} If one is empty, or what follows is not what `isFine` takes.
 */
function readNames(
  text: string,
  rule: string,
  isFine: (more: string) => boolean,
): { readonly path: string; readonly more: string | undefined }[] {
  return splitAt(text, ",").map((one) => {
    const [path = "", more, ...rest] = splitAt(one.trim(), ":").map(unescape);
    if (path === "" || (more !== undefined && !isFine(more)) || rest.length > 0) {
      throw new UsageError(`${rule}, got ${JSON.stringify(one)}`);
    }
    return { path, more };
  });
}

function readFields(text: string): Field[] {
  const rule = "--fields must be names between commas, each with :NAME for another one";
  return readNames(text, rule, (title) => title !== "")
    .map(({ path, more = path }) => ({ path, title: more }));
}

/** Reads an order such as `created_at:desc,id`. */
function readOrder(text: string): OrderField[] {
  const rule = "--order-by must be names between commas, each with :desc if it falls";
  return readNames(text, rule, (direction) => ["asc", "desc"].includes(direction))
    .map(({ path, more }) => ({ path, isDescending: more === "desc" }));
}

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
