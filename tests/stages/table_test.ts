// What stages give and how they fail, in each of the three ways; what all stages share is asked in tests/laws.
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import {
  attempt,
  batch,
  batchBy,
  changes,
  distinct,
  drop,
  dropWhile,
  encode,
  expand,
  filter,
  flatMap,
  formatNdjson,
  fuse,
  groupBy,
  limitBytes,
  limitRate,
  lines,
  map,
  parallel,
  parseNdjson,
  pipeline,
  rechunk,
  scan,
  split,
  stage,
  take,
  takeLast,
  takeWhile,
  tap,
} from "@hosepipe/streams";
import { virtualTime } from "@hosepipe/streams/testing";
import { countedSource } from "../lib/counted_source.ts";
import { programWays, runProgram } from "../lib/programs.ts";
import { errorOf } from "../lib/error_of.ts";
import { from } from "../lib/from.ts";
import { settledWithin } from "../lib/settled_within.ts";
import { turns } from "../lib/turns.ts";

// deno-lint-ignore no-explicit-any -- stages of any chunks
type Any = any;
type Make = () => Transformer<Any, Any>;

const soon = <T>(value: T) => Promise.resolve(value);
const thenable = (value: unknown) => ({
  then: (resolve: (value: unknown) => void) => resolve(value),
});
const slowly = (n: number) => turns(n).then(() => n);
const encoder = new TextEncoder();
const bytes = (text: string) => encoder.encode(text);
const seedOfTwo = { seed: () => 1, more: true };
const parity = (n: number) => n % 2 === 0 ? "even" : "odd";
const keyed = (key: unknown, ...chunks: unknown[]) => ({ key, chunks });
const tree: Record<string, string[]> = { a: ["b", "c"], b: ["d"], c: ["e"], d: [], e: [] };
const links: Record<string, string[]> = { "/": ["/a", "/"], "/a": ["/", "/b"], "/b": ["/a"] };
const keys = [NaN, undefined, null, 0, NaN, -0, undefined];
const nine = Array<number>(9).fill(5);
/** Whose constructor is not called with a length. */
class Row extends Array<number> {
  constructor(first: number, second?: number) {
    super();
    if (second === undefined) throw new Error("one number is no row");
    this.push(first, second, ...nine);
  }
}
const spread = (promise: unknown) => flatMap(() => promise as unknown[]);
const sizes = (...sizes: number[]) => sizes.map((size) => new Uint8Array(size));
const of4 = () => batch<string>(100, { maxBytes: 4 });

type Gives = readonly [make: Make, input: unknown[], output: unknown[]];

const gives: readonly Gives[] = [
  [() => map((chunk, index) => `${index}${chunk}`), ["a", "b"], ["0a", "1b"]],
  [() => map((n) => n === 1 ? thenable(n) : soon(n)), [1, 2], [1, 2]],
  [() => map((chunk) => chunk), [undefined, null], [undefined, null]],
  [() => filter((n: number) => n % 2), [0, 1, 2, 3], [1, 3]],
  [() => filter((_, index) => index !== 1), ["a", "b", "c"], ["a", "c"]],
  [() => filter((n: number) => soon(n > 1)), [1, 2, 3], [2, 3]],
  [() => filter(slowly, { concurrency: 3 }), [3, 2, 1], [3, 2, 1]],
  [() => parallel(slowly, { concurrency: 3 }), [3, 2, 1], [3, 2, 1]],
  [() => flatMap(async (n: number) => [await slowly(n)], { concurrency: 3 }), [3, 1], [3, 1]],
  [() => flatMap((n: number) => [...nine, soon(n), n]), [1, 2], [...nine, 1, 1, ...nine, 2, 2]],
  [() => flatMap((n: number) => new Row(n, n)), [1], [1, 1, ...nine]],
  [() => tap(() => "ignored"), ["a", "b"], ["a", "b"]],
  [() => drop(2), [1, 2, 3, 4], [3, 4]],
  [() => drop(2), [1], []],
  [() => drop(0), [1, 2], [1, 2]],
  [() => dropWhile((n: number) => n < 3), [1, 2, 3, 1], [3, 1]],
  [() => dropWhile((n: number) => n < 3), [1, 2], []],
  [() => dropWhile((n) => soon(n === 0)), [0, undefined, 0], [undefined, 0]],
  [() => dropWhile((_, index) => index < 2), [5, 5, 1, 5], [1, 5]],
  [() => take(3), [1, 2], [1, 2]],
  [() => take(2, { atLimit: "fail" }), [1, 2], [1, 2]],
  [() => takeWhile((n) => soon(n !== 3)), [1, 2, 3, 1], [1, 2]],
  [() => takeWhile((_, index) => index < 2), [7, 7, 7], [7, 7]],
  [() => takeLast(2), [1, 2, 3], [2, 3]],
  [() => scan((sum: number, n: number) => sum + n, 10), [1, 2, 3], [11, 13, 16]],
  [() => scan((text, n: number, index) => n % 2 ? soon(`${text}${index}`) : `${text}-`, ""), [
    1,
    2,
    3,
  ], ["0", "0-", "0-2"]],
  [() => scan((state) => state, undefined), [1, 2], [undefined, undefined]],
  [() => scan((seen: Set<Any>, n) => seen.add(n), { seed: () => new Set<Any>() }), [3], [
    new Set([3]),
  ]],
  [() => scan((s: object) => s, seedOfTwo as object), [1], [seedOfTwo]],
  [() => scan((sum: number, n, index) => sum + n * index), [1, 2, 3], [1, 3, 9]],
  [() => changes(), [NaN, NaN, 0, -0, 1, 1, 0], [NaN, 0, 1, 0]],
  [() => distinct(), [1, 1, NaN, NaN, 0, -0, "1"], [1, NaN, 0, "1"]],
  [() => stage(map((n: number) => -n)), [1, 2], [-1, -2]],
  [
    () =>
      spread({
        [Symbol.iterator]: () => ({ next: () => Object.assign(() => {}, { done: true }) }),
      }),
    [1],
    [],
  ],
  [() => batch(2), [1, 2, 3, 4, 5], [[1, 2], [3, 4], [5]]],
  [() => batch(1), [1, 2], [[1], [2]]],
  [of4, ["a", "b", "cd", "e"], [["a", "b", "cd"], ["e"]]],
  [of4, ["abc", "de", "f"], [["abc"], ["de", "f"]]],
  [of4, ["a", "bcdefg", "h"], [["a"], ["bcdefg"], ["h"]]],
  [of4, ["€", "é"], [["€"], ["é"]]],
  [of4, ["", "abcd", "", "e"], [["", "abcd"], ["", "e"]]],
  [() => batch<string>(2, { maxBytes: 4 }), ["a", "b", "c"], [["a", "b"], ["c"]]],
  [() => batch<Uint8Array>(9, { maxBytes: 4 }), sizes(3, 1, 2), [sizes(3, 1), sizes(2)]],
  [() => batchBy(parity, 3), [1, 2, 3, 5, 4, 7], [
    keyed("odd", 1, 3, 5),
    keyed("even", 2, 4),
    keyed("odd", 7),
  ]],
  [() => batchBy((_, index) => soon(keys[index]), 2), [..."abcdefg"], [
    keyed(NaN, "a", "e"),
    keyed(0, "d", "f"),
    keyed(undefined, "b", "g"),
    keyed(null, "c"),
  ]],
  [() => expand((name: string) => tree[name]!), ["a"], ["a", "b", "c", "d", "e"]],
  [() => expand((page: string) => links[page]!, { distinct: {} }), ["/", "/b", "/"], [
    "/",
    "/a",
    "/b",
  ]],
  [
    () =>
      expand((n: number) => n < 3 ? [n + 1, n + 10] : [], {
        distinct: { key: (n: number) => soon(n % 10) },
      }),
    [1],
    [1, 2, 3],
  ],
  [() => encode(), ["a\ud83d"], [bytes("a\ufffd")]],
  [() => encode({ size: 4 }), ["abc\ud83d", "\ude00"], [bytes("abc"), bytes("😀")]],
  [() => encode({ size: 4 }), ["ab", "cd", "efghi"], ["abcd", "efgh", "i"].map(bytes)],
  [() => rechunk(3), sizes(0), []],
  [() => limitBytes(5), sizes(2, 0, 3), sizes(2, 0, 3)],
  [() => lines(), ["", "a", "", "\n", ""], ["a"]],
  [() => lines({ maxLength: 0 }), ["\n\r", "\n"], ["", ""]],
  [() => parseNdjson(), ["", "\n", "\r\n"], []],
  [() => parseNdjson(), ["\uFEFF1\n2"], [1, 2]],
  [() => split<string>("--", { maxLength: 3 }), ["abc-", "-ab"], ["abc", "ab"]],
  [() => limitRate({ perSecond: 5, cost: () => 5 }), [1], [1]],
];

for (const way of programWays) {
  for (const [make, input, output] of gives) {
    test(`${way}, ${make}: gives what it should, also a second time`, async () => {
      const stage = make();
      for (const [chunks, expected] of [[input, output], [[], []], [input, output]] as const) {
        const out: unknown[] = [];
        await runProgram(way, from(chunks), stage, null, (chunk) => void out.push(chunk));
        assertEquals(out, expected);
      }
    });
  }
}

const noBytes = "a chunk must be a Uint8Array or a string, got";
const tooLongLine = (line: number) =>
  `RangeError: Cannot split into lines: line ${line} is longer than maxLength 3`;
const mixed = "TypeError: Cannot split into lines: chunks must be all bytes or all text, got";
const long = `{"a":${"x".repeat(200)}}`;
const notJson = (line: number, text: string) =>
  `SyntaxError: Cannot parse NDJSON: line ${line} is not JSON: ${text}`;
const tooLongJson = "RangeError: Cannot parse NDJSON: line 2 is longer than maxLength 5";
const tooLongPart = "RangeError: Cannot split: part 2 is longer than maxLength 3";
const noIterable = "must be an iterable or an async iterable, got";
const noRechunk = "TypeError: Cannot rechunk: a chunk must be a Uint8Array, got";
const ofLine = () => lines({ maxLength: 3 });
const ofPart = () => split<string>(",", { maxLength: 3 });
const ofJson = () => parseNdjson({ maxLength: 5 });
const costing = (cost: unknown) => () => limitRate({ perSecond: 5, cost: () => cost as number });
const wrongly = (made: unknown) => () => stage((() => made) as never);
const answering = (answer: unknown) => () =>
  attempt(() => Promise.reject("bad"), { attempts: 1, onError: () => answer as "skip" });
const circle: Record<string, unknown> = {};
circle.self = circle;
const endless = (first: unknown, chunk: unknown) =>
  function* () {
    yield first;
    while (true) yield chunk;
  };

type Fails = readonly [
  make: Make,
  input: unknown[] | (() => Iterable<unknown>),
  message: string,
  output?: unknown[],
];

const fails: readonly Fails[] = [
  [
    () => take(2, { atLimit: "fail" }),
    [1, 2, 3],
    "RangeError: Cannot take: there are more than 2 chunks",
    [1, 2],
  ],
  [
    () => distinct({ maxKeys: 2 }),
    [1, 2, 1, 3],
    "RangeError: Cannot tell distinct chunks: there are more than 2 keys",
    [1, 2],
  ],
  [
    () => batch(2, { maxBytes: 4 }),
    [{}],
    `TypeError: Cannot batch: with maxBytes, ${noBytes} an object`,
  ],
  [() => encode(), [5], "TypeError: Cannot encode: a chunk must be a string, got 5"],
  [() => limitBytes(5), [5], `TypeError: Cannot limit bytes: ${noBytes} 5`],
  [
    () => limitBytes(5),
    endless(...sizes(2, 2) as [unknown, unknown]),
    "RangeError: Cannot limit bytes: there are more than 5 bytes",
    sizes(2, 2),
  ],
  [() => rechunk(2), ["text"], `${noRechunk} "text"`],
  [() => rechunk(2), [null], `${noRechunk} null`],
  [() => rechunk(2), [new Uint16Array(1)], `${noRechunk} a Uint16Array`],
  [ofLine, ["abc\nab\nabcd\n"], tooLongLine(3), ["abc", "ab"]],
  [ofLine, ["abc\r\nab\r\nabcd"], tooLongLine(3), ["abc", "ab"]],
  [ofLine, [bytes("abc\nab\nabcd")], tooLongLine(3), ["abc", "ab"]],
  [ofLine, endless("", "a"), tooLongLine(1), []],
  [ofLine, endless(bytes(""), bytes("€")), tooLongLine(1), []],
  [ofLine, endless(bytes(""), Uint8Array.of(0x80)), tooLongLine(1), []],
  [() => lines({ maxLength: 0 }), ["\na"], tooLongLine(2).replace("3", "0"), [""]],
  [() => lines(), [bytes("a"), "a"], `${mixed} text after bytes`],
  [() => lines(), ["a", bytes("a")], `${mixed} bytes after text`],
  [() => lines(), [5], `TypeError: Cannot split into lines: ${noBytes} 5`],
  [() => parseNdjson(), ["oops"], notJson(1, '"oops"')],
  [
    () => parseNdjson(),
    [`1\n\n2\n${long}\n3\n`],
    notJson(4, `${JSON.stringify(long.slice(0, 80))}…`),
    [1, 2],
  ],
  [
    () => parseNdjson(),
    [bytes(`1\n${long}`)],
    notJson(2, `${JSON.stringify(long.slice(0, 80))}…`),
    [1],
  ],
  [() => parseNdjson(), ["1\n\uFEFF2"], "SyntaxError: Cannot parse NDJSON: line 2 is not JSON", [
    1,
  ]],
  [() => parseNdjson(), [{}], `TypeError: Cannot parse NDJSON: ${noBytes} an object`],
  [ofJson, ["12345\n[1,2,3]\n"], tooLongJson, [12345]],
  [ofJson, endless("1\n", "[1,"), tooLongJson, [1]],
  ...[undefined, () => {}, Symbol("a")].map((
    value,
  ): Fails => [
    () => formatNdjson(),
    [1, value],
    `TypeError: Cannot format NDJSON: chunk 2 is ${typeof value}, which JSON has nothing for`,
    ["1\n"],
  ]),
  ...[circle, 1n, { n: 1n }].map((
    value,
  ): Fails => [
    () => formatNdjson(),
    [1, value],
    "TypeError: Cannot format NDJSON: chunk 2 is not JSON: ",
    ["1\n"],
  ]),
  [ofPart, ["a,abcd,"], tooLongPart, ["a"]],
  [ofPart, ["a,ab", "cd"], tooLongPart, ["a"]],
  [ofPart, [bytes("a,ab"), bytes("cd,")], tooLongPart, [bytes("a")]],
  [ofPart, endless("a,", "x"), tooLongPart, ["a"]],
  [
    () => split(","),
    ["a", bytes("b")],
    "TypeError: Cannot split: a chunk must be a string, got a Uint8Array",
  ],
  [
    () => split(","),
    [bytes("b"), "a"],
    'TypeError: Cannot split: a chunk must be a Uint8Array, got "a"',
  ],
  [
    () => split(","),
    [5],
    "TypeError: Cannot split: a chunk must be a string or a Uint8Array, got 5",
  ],
  [
    () => split(bytes(",")),
    ["a"],
    'TypeError: Cannot split: a chunk must be bytes, as the delimiter is, got "a"',
  ],
  [() => spread(5), [1], `TypeError: Cannot flatten a chunk: the result of fn ${noIterable} 5`],
  [
    () => spread(undefined),
    [1],
    `TypeError: Cannot flatten a chunk: the result of fn ${noIterable} undefined`,
  ],
  [
    () =>
      spread({
        [Symbol.iterator]() {
          throw "no iterator";
        },
      }),
    [1],
    "no iterator",
  ],
  ...[Symbol.iterator, Symbol.asyncIterator].flatMap((method) =>
    [5, undefined, null].map((
      bad,
    ): Fails => [
      () => spread({ [method]: () => ({ next: () => bad }) }),
      [1],
      `TypeError: Cannot flatten a chunk: next() must give an object, got ${bad}`,
    ])
  ),
  [
    () => expand(() => 5 as never),
    [1],
    `TypeError: Cannot expand a chunk: the result of fn ${noIterable} 5`,
    [1],
  ],
  [
    () => expand((n: number) => [n + 1], { distinct: { maxKeys: 3 } }),
    [1],
    "RangeError: Cannot expand a chunk: there are more than 3 keys",
  ],
  [
    () => expand((n: number) => [n + 1, n + 1], { maxPending: 100 }),
    [0],
    "RangeError: Cannot expand a chunk: more than 100 chunks are pending",
  ],
  [
    () => parallel((n) => n, { concurrency: 1, key: () => soon(1) }),
    [1],
    "TypeError: Cannot find the key of a chunk: it must be no promise, got a promise",
  ],
  [costing(6), [1], "RangeError: Cannot limit the rate: a chunk costs 6, more than the burst of 5"],
  [costing(NaN), [1], "RangeError: "],
  [costing(-1), [1], "RangeError: "],
  [costing("1"), [1], "TypeError: "],
  ...[undefined, 5, [1], Promise.resolve()].map((
    made,
  ): Fails => [
    wrongly(made),
    [1],
    "TypeError: Cannot run stage: what the function returns must be an async iterable, got",
  ]),
  ...["ignore", 5, {}].map((
    answer,
  ): Fails => [
    answering(answer),
    [1],
    "TypeError: Cannot run attempt: what onError answers must be",
  ]),
  [answering(null), [1], "bad"],
  [() => groupBy((n: number) => n, () => 5 as never), [1], "TypeError: "],
];

for (const way of programWays) {
  test(`${way}: stages fail with what is wrong, after what they have given`, async () => {
    for (const [make, input, message, output] of fails) {
      const out: unknown[] = [];
      const chunks = typeof input === "function" ? input() : input;
      const write = (chunk: unknown) => void out.push(chunk);
      const [error] = await errorOf(runProgram(way, from(chunks), make(), null, write));
      assert(String(error).startsWith(message), `${error}, not ${message}`);
      // Native streams drop what they hold.
      if (output !== undefined && way !== "native") assertEquals(out, output, message);
    }
  });
}

const longMs = 1e6;
const waiting = { maxWaitMs: longMs };
const later = { delayMs: longMs, maxDelayMs: longMs };
const numbers = [1, 2];
const refuse = (n: number) => n < 3 ? n : Promise.reject("refused");

/** Stages that wait by a timer after two chunks, and a chunk that they refuse then. */
const waits: Readonly<Record<string, [make: Make, chunks: unknown[], refused?: unknown]>> = {
  batch: [() => batch(9, { maxBytes: 9, ...waiting }), ["a", "b"], {}],
  batchBy: [() => batchBy(refuse, 2, waiting), numbers, 3],
  encode: [() => encode(waiting), ["a", "b"], 5],
  rechunk: [() => rechunk(9, waiting), sizes(1, 1), 5],
  limitRate: [() => limitRate({ perSecond: 0.001, burst: 1 }), numbers],
  attempt: [() => attempt(() => Promise.reject("again"), later), numbers],
  "attempt of parallel": [
    () => attempt(parallel(() => Promise.reject("again"), { concurrency: 2 }), later),
    numbers,
  ],
};

for (const [name, [make, chunks, refused]] of Object.entries(waits)) {
  test(`${name} that waits leaves no timer, however it is ended`, async () => {
    await using time = virtualTime();
    for (const pair of [() => fuse(make()), () => new TransformStream(make())]) {
      // An abort waits for a transform that waits.
      for (const end of ["cancel", ...refused === undefined ? [] : ["abort", "refused"]]) {
        const { readable, writable } = pair();
        const [writer, reader] = [writable.getWriter(), readable.getReader()];
        const reads = [errorOf(reader.read()), errorOf(reader.read())];
        const ends = [...chunks.map((chunk) => writer.write(chunk)), writer.closed].map(errorOf);
        await time.advance(10);
        assertEquals(time.timers > 0, true);
        if (end === "cancel") ends.push(errorOf(reader.cancel(end)));
        else if (end === "abort") ends.push(errorOf(writer.abort(end)));
        else ends.push(errorOf(writer.write(refused)));
        await time.advance(0);
        assertEquals(time.timers, 0, end);
        await Promise.all([...ends, ...reads]);
      }
    }
    const controller = new AbortController();
    const source = countedSource({ chunk: (n) => chunks[n], length: 2, atEnd: "stall" });
    const { signal } = controller;
    const run = errorOf(pipeline(source.readable, make(), () => {}, { signal }));
    await time.advance(10);
    assertEquals(time.timers > 0, true);
    controller.abort("signal");
    assertEquals(await settledWithin(run), { state: "fulfilled", value: ["signal"] });
    assertEquals([time.timers, source.cancelReasons], [0, ["signal"]]);
  });
}
