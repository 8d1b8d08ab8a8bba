import { assertEquals } from "@std/assert";
import {
  lines,
  parseNdjson,
  pipeline,
  split,
  toArray,
  toText,
  type Transformer,
} from "@hosepipe/streams";
import {
  formatCsv,
  formatSse,
  parseCsv,
  parseMultipart,
  parseSse,
  type SseEvent,
} from "@hosepipe/streams/formats";
import { checkCuts, checkStage, outcomeOf, passThrough, type Target } from "./_target.ts";

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

export const stageTargets: readonly Target[] = [
  {
    name: "csv",
    code: /src\/formats\/(?:parse_csv|format_csv|csv_|text_input|is_formula|check_csv)/,
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
    code: /src\/formats\/(?:parse_sse|format_sse|sse_|text_input)/,
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
    code: /src\/formats\/(?:multipart|parse_multipart|part_headers|header_parameters)/,
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
    code: /src\/stages\/(?:lines|line_splitter|text_parts|byte_parts)/,
    tokens: ["\n", "\r", "\r\n", "a", "\ufeff", "ü", "😀"],
    seeds: ["a\nb\r\n\nc", "\ufeffa\r\r\n"],
    check: checkLines,
  },
  {
    name: "split",
    code: /src\/stages\/(?:split|delimiter_splitter|text_parts)/,
    tokens: ["\r\n-", "\r", "\n", "-", "\r\n", "a"],
    seeds: ["a\r\n-b\r\r\n-", "\r\n\r\n--"],
    check: checkSplit,
  },
  {
    name: "ndjson",
    code: /src\/stages\/(?:parse_ndjson|line_splitter|text_parts)/,
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
