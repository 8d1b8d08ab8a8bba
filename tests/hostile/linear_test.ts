// deno-lint-ignore-file no-explicit-any -- it stands in the place of any method
import { test } from "node:test";
import { assert } from "@std/assert";
import { parseCsv, parseMultipart, parseSse } from "@hosepipe/streams/formats";
import { lines, parseNdjson, pipeline, split, type Transformer } from "@hosepipe/streams";
import { parseInstant } from "../../scenarios/extract/read_extract_flags.ts";
import { chooseCodings } from "../../src/files/choose_coding.ts";
import { parseHttpDate } from "../../src/files/parse_http_date.ts";
import { parseRange } from "../../src/files/parse_range.ts";
import { preconditions, rangeApplies } from "../../src/files/preconditions.ts";
import { queryOf, resolveTarget } from "../../src/files/resolve_target.ts";

// deno-lint-ignore-file no-explicit-any -- it stands in the place of any method
/** `from` is where a regular expression began. */
type Cost = (self: any, args: any[], result: any, from: number) => number;

const all: Cost = (self) => self.length;
const found: Cost = (self, [, start = 0], result) =>
  (result === -1 ? self.length : result + 1) - Math.min(start, self.length);
const one: Cost = () => 1;

/** How many units each method may read, by its arguments and what it found. */
const costs: readonly (readonly [object, Record<string, Cost>])[] = [
  [String.prototype, {
    ...{
      indexOf: found,
      lastIndexOf: all,
      includes: all,
      split: all,
      replaceAll: all,
      replace: all,
    },
    ...{ endsWith: all, startsWith: (_self, [text]) => String(text).length, trim: all, match: all },
    ...{ toLowerCase: all, slice: (_self, _args, result) => result.length, charCodeAt: one },
    ...{ codePointAt: one, at: one, isWellFormed: all, toWellFormed: all },
  }],
  [Uint8Array.prototype, {
    indexOf: found,
    lastIndexOf: all,
    set: (_self, [bytes]) => bytes.length,
  }],
  [Uint8Array.prototype, { slice: (_self, _args, result) => result.length, subarray: one }],
  [RegExp.prototype, {
    exec: (_self, [text], result, from) =>
      (result === null ? String(text).length : result.index + result[0].length + 1) - from,
  }],
  [Set.prototype, { has: one }],
  [Map.prototype, { has: one, get: one }],
  [TextDecoder.prototype, { decode: (_self, [bytes]) => bytes?.byteLength ?? 0 }],
  [JSON, { parse: (_self, [text]) => String(text).length }],
];

/** Counts the units of text and bytes that methods read while `use` runs: the same on every machine. */
async function countSteps(use: () => unknown): Promise<number> {
  let steps = 0;
  const restore: (() => void)[] = [];
  for (const [target, methods] of costs) {
    for (const [name, cost] of Object.entries(methods)) {
      const native = Object.getOwnPropertyDescriptor(target, name) ??
        Object.getOwnPropertyDescriptor(Object.getPrototypeOf(target), name)!;
      const isOwn = Object.hasOwn(target, name);
      const method = native.value as (...args: unknown[]) => unknown;
      Object.defineProperty(target, name, {
        ...native,
        value(this: unknown, ...args: unknown[]) {
          const from = this instanceof RegExp && (this.global || this.sticky) ? this.lastIndex : 0;
          const result = Reflect.apply(method, this, args);
          steps += cost(this, args, result, from);
          return result;
        },
      });
      restore.push(() => {
        if (isOwn) Object.defineProperty(target, name, native);
        else delete (target as Record<string, unknown>)[name];
      });
    }
  }
  try {
    await use();
  } finally {
    for (const undo of restore.reverse()) undo();
  }
  return steps;
}

type Stage = Transformer<string | Uint8Array, unknown>;

const encoder = new TextEncoder();
const units = 80;
const times = 4;

/** Ends that a hostile sender would try, for every parser of text. */
const repeated = [
  ...[
    "a",
    " ",
    "\n",
    "\r",
    "\r\n",
    "\0",
    "\ufeff",
    "ü",
    '"',
    '""',
    '"\n',
    '"a',
    'a"',
    ",",
    ';"',
    ",",
  ],
  ...[
    '"a",',
    "1\r",
    ":",
    "data:\n",
    "data:x\r",
    "id\n",
    "data",
    "-",
    "--",
    "=",
    "=;",
    "; ",
    "\t",
    "%",
  ],
  ...[
    "%41",
    "\\",
    '\\"',
    "/",
    "../",
    "a,",
    "0-,",
    "1-2,",
    'W/"',
    "*",
    "q=0.",
    "gzip;q=1,",
    ".",
    "0",
  ],
];

/** Fails if four times the input takes more than about four times the steps. */
async function assertLinear(run: (text: string) => unknown, unit: string): Promise<void> {
  const few = await countSteps(() => run(unit.repeat(units)));
  const many = await countSteps(() => run(unit.repeat(units * times)));
  assert(
    many <= few * (times + 1) + 500,
    `${JSON.stringify(unit)}: ${few} steps for ${units}, ${many} for ${units * times}`,
  );
}

async function pass(chunks: Iterable<string | Uint8Array>, stage: Stage): Promise<void> {
  // What it refuses counts as well.
  await pipeline(chunks, stage, () => {}).catch(() => {});
}

function* inUnits<T extends string | Uint8Array>(whole: T): Generator<T> {
  for (let at = 0; at < whole.length; at++) yield whole.slice(at, at + 1) as T;
}

const stages: Readonly<Record<string, () => Stage>> = {
  lines: () => lines(),
  split: () => split("\r\n--b") as Stage,
  parseNdjson: () => parseNdjson(),
  parseCsv: () => parseCsv({ header: false }),
  "parseCsv, relaxed": () => parseCsv({ relax: true }),
  "parseCsv, trimmed": () => parseCsv({ relax: true, trim: true, comment: ";" }),
  "parseCsv, limited": () => parseCsv({ header: false, maxFieldLength: 1e6, maxRowLength: 1e6 }),
  parseSse: () => parseSse(),
};

for (const [name, make] of Object.entries(stages)) {
  test(`${name} reads hostile text in linear time, whole or cut into units`, async () => {
    for (const unit of repeated) {
      await assertLinear((text) => pass([text], make()), unit);
      await assertLinear((text) => pass([...inUnits(text)], make()), unit);
      if (name === "split") continue;
      await assertLinear((text) => pass([encoder.encode(text)], make()), unit);
      await assertLinear((text) => pass([...inUnits(encoder.encode(text))], make()), unit);
    }
  });
}

const forms: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `--b\r\n${text}`,
  (text) => `--b\r\n\r\n${text}\r\n--b--`,
  (text) => `--b\r\n\r\n${text}\r\n--b`,
  (text) => `--b\r\nx: ${text}\r\n\r\n\r\n--b--`,
  (text) => `--b\r\nContent-Disposition: a; name=${text}\r\n\r\n\r\n--b--`,
  (text) => `--b\r\nContent-Disposition: a; name="${text}"; filename="${text}\r\n\r\n\r\n--b--`,
  (text) => `--b\r\nContent-Disposition: a; filename*=UTF-8''${text}\r\n\r\n\r\n--b--`,
];

test("parseMultipart reads hostile bytes in linear time, whole or cut into units", async () => {
  const options = { boundary: "b", maxHeaderBytes: Infinity, maxParts: Infinity };
  const read = async (chunks: Iterable<Uint8Array>) => {
    await pipeline(parseMultipart(chunks, options), async ({ body }) => {
      for await (const _ of body);
    }).catch(() => {});
  };
  for (
    const unit of [
      ...repeated,
      "\r\n-",
      "\r\n--",
      "\r\n--bb",
      "\r\n--b\r\n\r\n",
      "a: b\r\n",
      " a\r\n",
    ]
  ) {
    for (const form of forms) {
      await assertLinear((text) => read([encoder.encode(form(text))]), unit);
    }
  }
  for (const unit of ["\r", "\n", "\r\n-", "a", "a: b\r\n", "\r\n--b\r\n\r\n"]) {
    for (const form of forms.slice(1, 3)) {
      await assertLinear((text) => read([...inUnits(encoder.encode(form(text)))]), unit);
    }
  }
});

const facts = { tag: '"x"', lastModified: 0 } as never;

/** Every other parser: none of them may throw anything but what it refuses. */
const parsers: Readonly<Record<string, (text: string) => unknown>> = {
  "a range": (text) => parseRange(`bytes=${text}`, 1000 as never),
  "a date of HTTP": (text) => parseHttpDate(text),
  "accept-encoding": (text) => chooseCodings(text),
  "if-none-match": (text) => preconditions((() => text) as never, facts),
  "if-range": (text) => rangeApplies((() => text) as never, facts),
  "a query": (text) => queryOf(`/${text}`),
  "what is within a list of tags": (text) =>
    preconditions((() => `"a",${text}x,"b"${text}`) as never, facts),
  "what is within a range": (text) => parseRange(`bytes=${text}1-2${text}x`, 1000),
  "what is within a coding": (text) => chooseCodings(`gzip${text};${text}q=1x`),
  "a target": (text) => resolveTarget(`/${text}`),
  "a time": (text) => parseInstant(text, "UTC"),
};

for (const [name, parse] of Object.entries(parsers)) {
  test(`${name} is read in linear time`, async () => {
    for (const unit of repeated) {
      await assertLinear((text) => {
        try {
          parse(text);
        } catch {
          // It may refuse it.
        }
      }, unit);
    }
  });
}
