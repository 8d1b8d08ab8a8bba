import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { TextLineStream } from "@std/streams";
import {
  formatNdjson,
  lines,
  map,
  parseNdjson,
  pipeline,
  split,
  type SplitOptions,
  toArray,
} from "@hosepipe/streams";
import { errorOf } from "../lib/error_of.ts";
import { from } from "../lib/from.ts";
import { range } from "../lib/range.ts";
import { run } from "../lib/run.ts";
import { withClock } from "../lib/with_clock.ts";

const encoder = new TextEncoder();

/** Cuts a text's bytes, or the text, into chunks of one size. */
function cut<T extends string | Uint8Array>(whole: T, size: number): T[] {
  const chunks: T[] = [];
  for (let start = 0; start < whole.length; start += size) {
    chunks.push(whole.slice(start, start + size) as T);
  }
  return chunks;
}

/** What the standard's decoder and the standard library's splitter make of the bytes. */
function reference(chunks: Iterable<Uint8Array>): Promise<string[]> {
  return Array.fromAsync(
    from(chunks)
      .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
      .pipeThrough(new TextLineStream() as TransformStream<string, string>),
  );
}

const texts: Record<string, string> = {
  "no text": "",
  "a line without an ending": "one",
  "a line": "one\n",
  "empty lines": "\n\n\r\n\r\r\n\n",
  "both endings": "one\r\ntwo\nthree\r\n",
  "a lone carriage return": "o\rne\r\r\ntwo\r",
  "a carriage return at the end": "one\n\r",
  "more than ASCII": "äé\n漢字\r\n😀😀\n€",
  "a byte order mark": "\uFEFFone\n\uFEFFtwo",
  "nothing but a byte order mark": "\uFEFF",
};

for (const [name, text] of Object.entries(texts)) {
  test(`lines() splits ${name} as TextDecoderStream and TextLineStream do`, async () => {
    const bytes = encoder.encode(text);
    for (let size = 1; size <= Math.max(bytes.length, 1); size++) {
      const chunks = cut(bytes, size);
      assertEquals(await run(chunks, lines()), await reference(chunks), `bytes by ${size}`);
      // A mark before text is left out, too.
      const expected = await Array.fromAsync(
        from(cut(text.replace(/^\uFEFF/, ""), size))
          .pipeThrough(new TextLineStream() as TransformStream<string, string>),
      );
      assertEquals(await run(cut(text, size), lines()), expected, `text by ${size}`);
    }
  });
}

test("lines() replaces what is not UTF-8, as TextDecoderStream does", async () => {
  let seed = 1;
  const random = (limit: number) => (seed = seed * 48271 % 2147483647) % limit;
  const alphabet = [10, 13, 10, 65, 0x80, 0xbf, 0xc3, 0xe2, 0x82, 0xf0, 0x9f, 0xff, 0xef, 0xbb];
  for (let round = 0; round < 200; round++) {
    const bytes = Uint8Array.from({ length: random(30) }, () => alphabet[random(alphabet.length)]!);
    const chunks = cut(bytes, 1 + random(6));
    assertEquals(await run(chunks, lines()), await reference(chunks), `bytes ${bytes}`);
  }
});

test("lines() keeps no hold of a chunk's buffer", async () => {
  const shared = new Uint8Array(4);
  const chunks = function* () {
    for (const text of ["ab\nc", "d\nef", "gh\ni"]) {
      shared.set(encoder.encode(text));
      yield shared;
    }
  };
  assertEquals(await run(chunks(), lines()), ["ab", "cd", "efgh", "i"]);
});

test("lines() splits a line of 10 MB that comes in pieces", async () => {
  const piece = new Uint8Array(64 * 1024).fill(65);
  const chunks = function* () {
    for (let count = 0; count < 160; count++) yield piece;
    yield encoder.encode("\nend");
  };
  const [long, end] = await run(chunks(), lines());
  assertEquals([long!.length, end], [160 * 64 * 1024, "end"]);
});

test("lines() holds to maxLength in code units, however the chunks are cut", async () => {
  for (const text of ["\uFEFFabc\r\nxy\nabc\r", "äöü\r\n", "😀a\n", "a\u20ac😀"]) {
    const length = Math.max(
      ...text.replace("\uFEFF", "").split(/\r?\n/).map((line) => line.length),
    );
    for (let size = 1; size <= 12; size++) {
      const chunks = cut(encoder.encode(text), size);
      const unlimited = await run(chunks, lines());
      assertEquals(await run(chunks, lines({ maxLength: length })), unlimited);
      const [error] = await errorOf(run(chunks, lines({ maxLength: length - 1 }))) as [RangeError];
      assertEquals(error.constructor, RangeError, `${JSON.stringify(text)} by ${size}`);
    }
  }
});

test("lines() refuses a line that is too long by one unit as soon as it has that, in text and in bytes", async () => {
  for (
    const [start, more, limit] of [["", "abcd", 3], ["ab\n", "abcd", 3], ["", "\uFEFFabcd", 3]]
  ) {
    for (const encode of [(text: string) => text, (text: string) => encoder.encode(text)]) {
      let asked = 0;
      const source = function* () {
        if (start !== "") yield encode(start as string);
        yield encode(more as string);
        asked++;
        yield encode("\n");
      };
      const maxLength = limit as number;
      await errorOf(run(source(), lines({ maxLength })));
      assertEquals(asked, 0, JSON.stringify([start, more]));
      asked = 0;
      await errorOf(run(source(), lines({ maxLength: maxLength + 1 })));
      assertEquals(asked, 1, JSON.stringify([start, more]));
    }
  }
});

const text = '\uFEFF{"a":"Zoë €𝄞"}\r\n\n  \t\r\n[1,2]\nnull\r\n\r\n"x\\ny"\n7';
const expected = [{ a: "Zoë €𝄞" }, [1, 2], null, "x\ny", 7];
const bytes = new TextEncoder().encode(text);

/** A text or its bytes, cut into three in every way, and one by one. */
function* cutsOf<T extends string | Uint8Array>(whole: T): Generator<T[]> {
  for (let first = 0; first <= whole.length; first++) {
    for (let second = first; second <= whole.length; second += 1 + (first % 3)) {
      yield [[0, first], [first, second], [second]].map(([from, to]) => whole.slice(from, to) as T);
    }
  }
  if (whole.length > 0) yield cut(whole, 1);
}

test("parseNdjson() is the same however its text or bytes are cut, also in half a pair", async () => {
  for (const chunks of cutsOf(bytes)) assertEquals(await run(chunks, parseNdjson()), expected);
  for (const chunks of cutsOf(text)) assertEquals(await run(chunks, parseNdjson()), expected);
});

const values = [null, 0, "", false, "a\nb\r\n\u2028", { a: [1, { b: "€𝄞" }] }, [], 1e300, -0.5];

test("formatNdjson() gives a line for each value, which parseNdjson() reads again", async () => {
  const text = await run(values, formatNdjson());
  assertEquals(text.length, values.length);
  assertEquals(
    text.every((line) => line.endsWith("\n") && line.indexOf("\n") === line.length - 1),
    true,
  );
  assertEquals(await run(text, parseNdjson()), values);
  assertEquals(await run([], formatNdjson()), []);
});

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (chunk: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(chunk);

/** What `split` must give. */
function model(
  text: string,
  delimiter: string,
  { disposition = "discard", keepEmptyLast = false }: SplitOptions = {},
): string[] {
  const parts = text.split(delimiter);
  const last = parts.length - 1;
  if (parts[last] === "" && !keepEmptyLast && (disposition !== "prefix" || last === 0)) parts.pop();
  return parts.map((part, index) =>
    (disposition === "prefix" && index > 0 ? delimiter : "") + part +
    (disposition === "suffix" && index < last ? delimiter : "")
  );
}

const cases: readonly (readonly [text: string, delimiter: string])[] = [
  ["a,b,,c", ","],
  [",a,", ","],
  ["", ","],
  [",", ","],
  ["no delimiter", ","],
  ["aaab aab ab aaaab", "aab"],
  ["ababababa", "aba"],
  ["aaaaaaa", "aa"],
  ["one\r\ntwo\r\r\n\r\nthree\n", "\r\n"],
  ["Zoë€𝄞 Zoë€€𝄞x", "€𝄞"],
  ["\uFEFFx--y", "--"],
  ["-=-=--=-", "-=-"],
];

for (const [text, delimiter] of cases) {
  test(`split(${JSON.stringify(delimiter)}) of ${JSON.stringify(text)}, however it is cut`, async () => {
    for (const disposition of ["discard", "suffix", "prefix"] as const) {
      for (const keepEmptyLast of [true, false]) {
        const options = { disposition, keepEmptyLast };
        const expected = model(text, delimiter, options);
        for (const chunks of cutsOf(text)) {
          assertEquals(await run(chunks, split<string>(delimiter, options)), expected);
        }
        for (const chunks of cutsOf(encode(text))) {
          const given = keepEmptyLast ? delimiter : encode(delimiter);
          assertEquals((await run(chunks, split(given, options))).map(decode), expected);
        }
        assertEquals(await run([], split(delimiter, options)), []);
      }
    }
  });
}

test("split() shares no memory that the source uses again", async () => {
  const buffer = encode("ab,c");
  const source = function* () {
    yield buffer;
    buffer.set(encode("xy,z"));
    yield buffer;
    buffer.fill(0);
  };
  assertEquals((await run(source(), split(","))).map(decode), ["ab", "cxy", "z"]);
});

test("split() looks at each piece of a long part once", async () => {
  const pieces = 20_000;
  const source = function* () {
    for (let n = 0; n < pieces; n++) yield "x".repeat(50);
    yield "--end";
  };
  const parts = await run(source(), split<string>("--"));
  assertEquals(parts.map(({ length }) => length), [pieces * 50, 3]);
});

// A huge chunk gives up its turn inside: the clock is the test's, and moves at each look by less than a slice is dear.

const lineCount = 20_000;
const msPerLook = 0.4;
/** A turn is 8 ms, and the clock is looked at every 128 chunks at most. */
const mostInOneTurn = (8 / msPerLook + 2) * 128;

const hugeLines = range(lineCount).map((n) => `{"n":${n}}`);
const hugeText = hugeLines.join("\n") + "\n";
const hugeBytes = new TextEncoder().encode(hugeText);
const hugeValues = range(lineCount).map((n) => ({ n }));

const decoder = new TextDecoder();
const toText = (value: unknown): string =>
  value instanceof Uint8Array ? decoder.decode(value) : JSON.stringify(value);

/** Runs, and counts what passes between two turns of the event loop. */
async function perTurn(run: (pass: () => void) => Promise<unknown>): Promise<number[]> {
  const counts = [0];
  let nowMs = 1_000;
  let isOver = false;
  const look = (): void => {
    if (isOver) return;
    counts.push(0);
    setImmediate(look);
  };
  setImmediate(look);
  const now = () => nowMs += msPerLook;
  await withClock(now, () => run(() => void counts[counts.length - 1]!++))
    .finally(() => isOver = true);
  return counts;
}

// deno-lint-ignore no-explicit-any -- of any chunk types
const stages: Record<string, { make: () => any; input: unknown; output: unknown[] }> = {
  "lines of text": { make: lines, input: hugeText, output: hugeLines },
  "lines of bytes": { make: lines, input: hugeBytes, output: hugeLines },
  "split of text": { make: () => split("\n"), input: hugeText, output: hugeLines },
  "split of bytes": {
    make: () => split("\n"),
    input: hugeBytes,
    output: hugeLines.map((line) => new TextEncoder().encode(line)),
  },
  "parseNdjson": { make: parseNdjson, input: hugeBytes, output: hugeValues },
};

for (const [name, { make, input, output }] of Object.entries(stages)) {
  test(`${name}: one huge chunk leaves the event loop its turns, and loses nothing`, async () => {
    const sources: Record<string, () => Iterable<unknown> | AsyncIterable<unknown>> = {
      "an array": () => [input],
      "a generator": async function* () {
        yield input;
      },
    };
    for (const [sourceName, source] of Object.entries(sources)) {
      const got: unknown[] = [];
      const sinks: Record<string, (pass: () => void) => Promise<unknown>> = {
        "into a sink": (pass) =>
          pipeline(source(), make(), (chunk: unknown) => {
            pass();
            got.push(chunk);
          }),
        "after and before others": (pass) =>
          pipeline(
            source(),
            map((chunk: unknown) => chunk),
            make(),
            map((chunk: unknown) => {
              pass();
              return chunk;
            }),
            (chunk: unknown) => void got.push(chunk),
          ),
        "into a sink that waits": (pass) =>
          pipeline(source(), make(), (chunk: unknown) => {
            pass();
            got.push(chunk);
            if (got.length % 1_000 === 0) return Promise.resolve();
          }),
      };
      for (const [sinkName, run] of Object.entries(sinks)) {
        got.length = 0;
        const counts = await perTurn(run);
        const title = `${sourceName} ${sinkName}`;
        // As one text: to compare so many values takes long.
        assertEquals(got.map(toText).join(), output.map(toText).join(), title);
        const most = Math.max(...counts);
        assert(most <= mostInOneTurn, `${title}: ${most} in one turn`);
      }
    }
  });
}

test("a huge chunk whose memory the source uses again meanwhile is split as it was", async () => {
  for (const make of [() => lines(), () => split("\n")]) {
    const source = function* () {
      const buffer = hugeBytes.slice();
      yield buffer;
      buffer.fill(65);
    };
    const got: unknown[] = [];
    await perTurn(async () => {
      const run = pipeline(source(), map((chunk: Uint8Array) => chunk), make(), (part: unknown) => {
        got.push(typeof part === "string" ? part : decoder.decode(part as Uint8Array));
      });
      await run;
    });
    assertEquals(got, hugeLines);
  }
});

test("a run that ends within a huge chunk stops splitting it", async () => {
  const stop = new AbortController();
  const reason = new Error("enough");
  let count = 0;
  await perTurn(async (pass) => {
    const run = pipeline([hugeText], lines(), map((line: string) => line), () => {
      pass();
      if (++count === 100) stop.abort(reason);
    }, { signal: stop.signal });
    assertEquals(await run.catch((error) => error), reason);
  });
  assert(count < lineCount);
});

test("what is cut anywhere between huge chunks gives the same lines", async () => {
  for (const cut of [1, 262_143, 262_144, 262_145, hugeBytes.length - 1, hugeBytes.length]) {
    const parts = [hugeBytes.slice(0, cut), hugeBytes.slice(cut)];
    assertEquals(await toArray(parts, lines()), hugeLines, `cut at ${cut}`);
  }
});
