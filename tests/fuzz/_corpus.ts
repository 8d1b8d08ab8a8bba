import { assert, assertEquals } from "@std/assert";
import {
  lines,
  parseNdjson,
  pipeline,
  split,
  toArray,
  toText,
  type Transformer,
} from "@hosepipe/streams";
import { existsSync, readFileSync } from "node:fs";
import {
  formatCsv,
  formatSse,
  parseCsv,
  parseMultipart,
  parseSse,
  type SseEvent,
} from "@hosepipe/streams/formats";
import { parseInstant } from "../../scenarios/extract/read_extract_flags.ts";
import { chooseCodings } from "../../src/files/choose_coding.ts";
import { parseHttpDate } from "../../src/files/parse_http_date.ts";
import { parseRange } from "../../src/files/parse_range.ts";
import { preconditions, rangeApplies } from "../../src/files/preconditions.ts";
import { resolveTarget } from "../../src/files/resolve_target.ts";

/** A parser under attack: what its input is made of, and what must hold for any input. */
export interface Target {
  readonly name: string;
  /** Texts that mean something to it. */
  readonly tokens: readonly string[];
  /** What the first inputs are. */
  readonly seeds: readonly string[];
  /** Fails if the parser does something that it must not do with these bytes. */
  check(bytes: Uint8Array): Promise<void> | void;
}

/** What came of one run: everything before it failed, and how it failed. */
export interface Outcome {
  readonly given: readonly unknown[];
  readonly error?: string;
}

const expected = [SyntaxError, RangeError];

/** Notes how `run` ended; an error that no parser announces is a failure of the test. */
export async function outcomeOf(
  run: (give: (value: unknown) => void) => Promise<unknown>,
): Promise<Outcome> {
  const given: unknown[] = [];
  try {
    await run((value) => void given.push(value));
    return { given };
  } catch (error) {
    if (!expected.some((kind) => error instanceof kind)) throw error;
    return { given, error: String(error) };
  }
}

/** Passes chunks through a stage. */
export function passThrough(
  chunks: Iterable<string | Uint8Array>,
  stage: Transformer<string | Uint8Array, unknown>,
): Promise<Outcome> {
  return outcomeOf((give) =>
    toArray(chunks, stage, {
      transform(chunk: unknown) {
        give(chunk);
      },
    })
  );
}

/** Short inputs are cut everywhere, long ones where each of 16 equal parts begins. */
const mostCuts = 16;

/** Fails unless `run` does the same with the bytes in one piece, cut in two anywhere, and unit by unit. */
export async function checkCuts<T extends string | Uint8Array>(
  whole: T,
  run: (chunks: T[]) => Promise<Outcome>,
): Promise<Outcome> {
  const first = await run([whole]);
  const step = Math.max(1, Math.floor(whole.length / mostCuts));
  for (let at = 1; at < whole.length; at += step) {
    assertEquals(await run([whole.slice(0, at) as T, whole.slice(at) as T]), first);
  }
  const units = Array.from({ length: whole.length }, (_, at) => whole.slice(at, at + 1) as T);
  assertEquals(await run(units), first);
  return first;
}

/** Fails unless a stage gives the same wherever its bytes, or the text in them, are cut. */
export async function checkStage(
  bytes: Uint8Array,
  make: () => Transformer<string | Uint8Array, unknown>,
): Promise<Outcome> {
  const outcome = await checkCuts(bytes, (chunks) => passThrough(chunks, make()));
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  assertEquals(await checkCuts(text, (chunks) => passThrough(chunks, make())), outcome);
  return outcome;
}

/** Numbers that look random, the same for the same seed. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 to below `end`. */
  below(end: number): number {
    this.#state = this.#state + 0x6d2b79f5 >>> 0;
    let mixed = Math.imul(this.#state ^ this.#state >>> 15, this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ mixed >>> 7, mixed | 61);
    return ((mixed ^ mixed >>> 14) >>> 0) % end;
  }

  /** One of several. */
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
}

const encoder = new TextEncoder();
const mostBytes = 120;

function splice(bytes: Uint8Array, at: number, count: number, more: Uint8Array): Uint8Array {
  const result = new Uint8Array(bytes.length - count + more.length);
  result.set(bytes.subarray(0, at));
  result.set(more, at);
  result.set(bytes.subarray(at + count), at + more.length);
  return result;
}

/** Changes an input in one to four places: bytes, tokens, pieces of itself or of another input. */
export function mutate(
  input: Uint8Array,
  others: readonly Uint8Array[],
  tokens: readonly string[],
  dice: Dice,
): Uint8Array {
  let bytes = input;
  for (let changes = 1 + dice.below(4); changes > 0; changes--) {
    const at = dice.below(bytes.length + 1);
    const few = Math.min(bytes.length - at, dice.below(8));
    switch (dice.below(6)) {
      case 0:
        bytes = splice(bytes, at, Math.min(1, bytes.length - at), Uint8Array.of(dice.below(256)));
        break;
      case 1:
        bytes = splice(bytes, at, few, new Uint8Array());
        break;
      case 2:
      case 3:
        bytes = splice(bytes, at, dice.below(2) * few, encoder.encode(dice.pick(tokens)));
        break;
      case 4:
        bytes = splice(bytes, at, 0, bytes.slice(at, at + few));
        break;
      default: {
        const other = dice.pick(others);
        const from = dice.below(other.length + 1);
        bytes = splice(bytes, at, few, other.slice(from, from + dice.below(24)));
      }
    }
  }
  return bytes.slice(0, mostBytes);
}

const decoder = new TextDecoder();
const size = 1000;
const validators = { tag: { weak: false, opaque: "x" }, lastModified: 0 };

function checkRange(text: string): void {
  const ranges = parseRange(`bytes=${text}`, size);
  if (ranges === undefined || ranges === "unsatisfiable") return;
  let last = 0;
  for (const { start, end } of [...ranges].sort((one, other) => one.start - other.start)) {
    assert(Number.isInteger(start) && Number.isInteger(end), text);
    assert(last <= start && start < end && end <= size, `${text}: ${start} to ${end}`);
    last = end;
  }
}

function checkConditions(text: string): void {
  for (const name of ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since"]) {
    const status = preconditions((asked) => asked === name ? text : undefined, validators);
    assert([undefined, 304, 412].includes(status));
  }
  assertEquals(typeof rangeApplies(() => text, validators), "boolean");
}

function checkTarget(text: string): void {
  for (const name of resolveTarget(`/${text}`)?.names ?? []) {
    assert(![".", ".."].includes(name) && !/[/\0]/.test(name), `${text} leads to ${name}`);
  }
}

function checkCodings(text: string): void {
  const names = chooseCodings(text).map(({ name }) => name);
  assertEquals(new Set(names).size, names.length);
}

function checkDate(text: string): void {
  const seconds = parseHttpDate(text, 0);
  assert(seconds === undefined || Number.isSafeInteger(seconds), text);
}

function checkInstant(text: string): void {
  try {
    assert(Number.isFinite(parseInstant(text, "Europe/Berlin")), text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
}

function targetOf(
  name: string,
  check: (text: string) => void,
  seeds: readonly string[],
  tokens: readonly string[],
): Target {
  return { name, seeds, tokens, check: (bytes) => check(decoder.decode(bytes)) };
}

const textTargets: readonly Target[] = [
  targetOf("range", checkRange, ["0-1", "-5,7-", "1-2, 2-3,900-"], [
    ...["0", "1", "9", "-", ",", " ", "\t", "99999999999999999999", "5-", "-1"],
  ]),
  targetOf(
    "conditions",
    checkConditions,
    ['"x", W/"y"', "*", "Sun, 06 Nov 1994 08:49:37 GMT"],
    ['"', "W/", ",", " ", "*", '"x"', "\t", "ü", "\\"],
  ),
  targetOf("target", checkTarget, ["a/b?c#d", "%2e%2e/x", "//h/x"], [
    ...["/", "..", ".", "%2e", "%2f", "%5c", "\\", "%00", "?", "#", "%", "http:", "ü", "%ff"],
  ]),
  targetOf("codings", checkCodings, ["gzip;q=0.5, br", "*;q=0"], [
    ...["gzip", "br", "zstd", "identity", "*", ";q=", "0", "1", ".", ",", " "],
  ]),
  targetOf(
    "date",
    checkDate,
    [
      "Sun, 06 Nov 1994 08:49:37 GMT",
      "Sunday, 06-Nov-94 08:49:37 GMT",
      "Sun Nov  6 08:49:37 1994",
    ],
    ["Sun", "Sunday", "Nov", "06", "1994", "94", ":", " ", "GMT", "-", "60", "31"],
  ),
  targetOf(
    "instant",
    checkInstant,
    ["2026-01-31", "2026-03-29T02:30", "2026-01-31T08:30:00.5+14:00"],
    ["2026", "-", "02", "30", "T", ":", "Z", "+", ".", "9", "00"],
  ),
];

type Stage = Transformer<string | Uint8Array, unknown>;

/** The first byte of an input chooses options, so that a mutation changes these as well. */
function chooseBy(bytes: Uint8Array): { readonly bit: (n: number) => boolean; rest: Uint8Array } {
  const first = bytes[0] ?? 0;
  return { bit: (n) => (first >> n & 1) === 1, rest: bytes.subarray(1) };
}

async function checkCsv(bytes: Uint8Array): Promise<void> {
  const { bit, rest } = chooseBy(bytes);
  const options = {
    header: bit(0),
    relax: bit(1),
    quote: bit(2) ? "" : '"',
    delimiter: bit(3) ? ";" : ",",
    maxFieldLength: bit(4) ? 6 : Infinity,
    maxRowLength: bit(5) ? 12 : 1000,
    maxColumns: 4,
  };
  const { given, error } = await checkStage(rest, () => parseCsv(options) as Stage);
  if (error !== undefined || options.header || given.length === 0) return;
  // What was read and is written again is read as the same.
  const arrays = given as string[][];
  const again = { header: false, delimiter: options.delimiter };
  for (const row of arrays) {
    const columns = row.map((_, at) => `${at}`);
    const text = await toText([row], formatCsv({ ...again, columns }));
    assertEquals((await passThrough([text], parseCsv(again) as Stage)).given, [row], text);
  }
}

async function checkSse(bytes: Uint8Array): Promise<void> {
  const { bit, rest } = chooseBy(bytes);
  const options = bit(0) ? { maxEventLength: 24 } : {};
  // A character that bytes do not end is read only once they have ended, when no event can end.
  const ended = Uint8Array.of(...rest, 0x0a);
  const { given } = await checkStage(ended, () => parseSse(options) as Stage);
  const events = given as SseEvent[];
  const messages = events.map((event) => ({ ...event, data: event.data.replaceAll("\r", "") }));
  const again = await passThrough([await toText(messages, formatSse())], parseSse() as Stage);
  assertEquals(again.given, messages);
}

function readForm(chunks: readonly Uint8Array[], limited: boolean) {
  const limits = limited ? { maxParts: 2, maxHeaderBytes: 40, maxPartBytes: 8 } : {};
  return outcomeOf(async (give) => {
    await pipeline(parseMultipart(chunks, { boundary: "b", ...limits }), async (part) => {
      const bytes: number[] = [];
      give([part.name, part.filename, [...part.headers], bytes]);
      // How much of a body comes before it fails depends on where it is cut.
      const body = await toArray(part.body).catch(() => []);
      bytes.push(...body.flatMap((chunk) => [...chunk]));
    });
  });
}

async function checkForm(bytes: Uint8Array): Promise<void> {
  const { bit, rest } = chooseBy(bytes);
  await checkCuts(rest, (chunks) => readForm(chunks, bit(0)));
}

async function checkLines(bytes: Uint8Array): Promise<void> {
  // Of bytes a byte order mark is left out, in text it is text.
  const text = new TextDecoder().decode(bytes).replace(/^\ufeff+/, "");
  const { given } = await checkStage(new TextEncoder().encode(text), () => lines() as Stage);
  const all = text.split(/\r?\n/);
  if (all.at(-1) === "") all.pop();
  assertEquals(given, all);
}

async function checkNdjson(bytes: Uint8Array): Promise<void> {
  const { given, error } = await checkStage(bytes, () => parseNdjson() as Stage);
  if (error === undefined) {
    const written = given.map((value) => JSON.stringify(value)).join("\n");
    assertEquals((await passThrough([written], parseNdjson() as Stage)).given, given);
  }
}

async function checkSplit(bytes: Uint8Array): Promise<void> {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const { given } = await checkCuts(
    text,
    (chunks) => passThrough(chunks, split("\r\n-") as Stage),
  );
  const all = text.split("\r\n-");
  if (all.at(-1) === "") all.pop();
  assertEquals(given, all);
}

const stageTargets: readonly Target[] = [
  {
    name: "csv",
    tokens: ['"', '""', ",", ";", "\n", "\r", "\r\n", "a", "\ufeff", "ü", "😀", "=", "\\.", "\0"],
    seeds: [
      ' a,b\r\n1,"x, ""y"""\r\n',
      '\x02a;"b\n',
      '\x01id,id\n1,2,3\n"x"y\n',
      "\x34abc,defghijk",
    ],
    check: checkCsv,
  },
  {
    name: "sse",
    tokens: [
      "data",
      "event",
      "id",
      "retry",
      ":",
      " ",
      "\n",
      "\r",
      "\r\n",
      "\0",
      "\ufeff",
      "7",
      "ü",
    ],
    seeds: [
      " data: a\ndata\n\n",
      "\x01:comment\r\rid:1\revent:x\rdata:y\r\r",
      " retry:12\n\ndata\n\n",
    ],
    check: checkSse,
  },
  {
    name: "multipart",
    tokens: [
      ...["--b", "\r\n--b", "--b--", "\r\n", "\r", "\n", "-", ":", ";", "=", '"', "\\", "%41"],
      ...['Content-Disposition: form-data; name="', "filename*=UTF-8''", "x: y\r\n", " ", "\0"],
    ],
    seeds: [
      ' --b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n--b--\r\n',
      '\x01--b\r\nContent-Disposition: form-data; name=a; filename="b\\"c"\r\nX: y\r\n\r\n\r\n--b\r\n\r\n\r\n--b--',
      " preamble\r\n--b \r\nContent-Disposition: a; filename*=UTF-8''%e2%82%ac\r\n\r\nxyz\r\n--b--epilogue",
    ],
    check: checkForm,
  },
  {
    name: "lines",
    tokens: ["\n", "\r", "\r\n", "a", "\ufeff", "ü", "😀"],
    seeds: ["a\nb\r\n\nc", "\ufeffa\r\r\n"],
    check: checkLines,
  },
  {
    name: "split",
    tokens: ["\r\n-", "\r", "\n", "-", "\r\n", "a"],
    seeds: ["a\r\n-b\r\r\n-", "\r\n\r\n--"],
    check: checkSplit,
  },
  {
    name: "ndjson",
    tokens: [
      "{",
      "}",
      "[",
      "]",
      '"',
      ":",
      ",",
      "\n",
      "\r\n",
      "1",
      "e9",
      "null",
      "true",
      "\\u0000",
      " ",
    ],
    seeds: ['{"a":[1,null]}\n\n"x"\r\n', '1\n{"a"\n'],
    check: checkNdjson,
  },
];

export const targets: readonly Target[] = [...stageTargets, ...textTargets];

/** Where the inputs of a target are kept: one a line, as JSON, each character a byte. */
export function corpusFileOf(target: Target): URL {
  return new URL(`./corpus/${target.name}.jsonl`, import.meta.url);
}

/** The bytes as text with a character each. */
export function toLine(bytes: Uint8Array): string {
  return JSON.stringify(String.fromCharCode(...bytes));
}

function fromLine(line: string): Uint8Array {
  return Uint8Array.from(JSON.parse(line) as string, (character) => character.charCodeAt(0));
}

/** What a target is tried with first: its seeds, and what earlier searches found. */
export function corpusOf(target: Target): Uint8Array[] {
  const seeds = target.seeds.map((seed) => new TextEncoder().encode(seed));
  const file = corpusFileOf(target);
  if (!existsSync(file)) return seeds;
  const lines = readFileSync(file, "utf8").split("\n").filter((line) => line !== "");
  return [...seeds, ...lines.map(fromLine)];
}
