import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { split, type SplitOptions } from "../../src/stages/split.ts";
import { errorOf } from "../lib/error_of.ts";
import { run } from "../lib/run.ts";

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
  test(`split(${JSON.stringify(delimiter)}) of ${JSON.stringify(text)} with its delimiters and an empty last part`, async () => {
    for (const disposition of ["discard", "suffix", "prefix"] as const) {
      for (const keepEmptyLast of [true, false]) {
        const options = { disposition, keepEmptyLast };
        const expected = model(text, delimiter, options);
        for (let at = 0; at <= text.length; at++) {
          const chunks = [text.slice(0, at), text.slice(at)];
          assertEquals(await run(chunks, split<string>(delimiter, options)), expected);
          const bytes = [encode(text).slice(0, at), encode(text).slice(at)];
          const parts = await run(bytes, split(delimiter, options));
          assertEquals(parts.map(decode), expected);
        }
        assertEquals(await run([], split(delimiter, options)), []);
      }
    }
  });

  test(`split(${JSON.stringify(delimiter)}) of ${JSON.stringify(text)}, over every split of it`, async () => {
    const expected = model(text, delimiter);
    for (let first = 0; first <= text.length; first++) {
      for (let second = first; second <= text.length; second++) {
        const chunks = [text.slice(0, first), text.slice(first, second), text.slice(second)];
        assertEquals(await run(chunks, split<string>(delimiter)), expected);
      }
    }
    const bytes = encode(text);
    for (let first = 0; first <= bytes.length; first++) {
      for (let second = first; second <= bytes.length; second++) {
        const chunks = [bytes.slice(0, first), bytes.slice(first, second), bytes.slice(second)];
        const parts = await run(chunks, split(first % 2 === 0 ? delimiter : encode(delimiter)));
        assertEquals(parts.map(decode), expected);
      }
    }
    const singly = await run(Array.from(bytes, (byte) => Uint8Array.of(byte)), split(delimiter));
    assertEquals(singly.map(decode), expected);
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

test("split() fails a part longer than maxLength, also before its end", async () => {
  assertEquals(await run(["abc", ",ab"], split<string>(",", { maxLength: 3 })), ["abc", "ab"]);
  assertEquals(await run(["abc-", "-ab"], split<string>("--", { maxLength: 3 })), ["abc", "ab"]);
  const many = ["abc,abc,ab,c,abc", "a,b,abc"];
  assertEquals(await run(many, split<string>(",", { maxLength: 4 })), [
    ...["abc", "abc", "ab", "c", "abca", "b", "abc"],
  ]);
  const message = "RangeError: Cannot split: part 2 is longer than maxLength 3";
  for (const chunks of [["a,abcd,"], ["a,ab", "cd,"], ["a,ab", "cd"], ["a,abcd"]]) {
    const text = errorOf(run(chunks, split<string>(",", { maxLength: 3 })));
    assertEquals(String((await text)[0]), message);
    const bytes = errorOf(run(chunks.map(encode), split(",", { maxLength: 3 })));
    assertEquals(String((await bytes)[0]), message);
  }
  const endless = function* () {
    yield "a,";
    while (true) yield "x";
  };
  assertEquals(
    String((await errorOf(run(endless(), split<string>(",", { maxLength: 3 }))))[0]),
    message,
  );
});

test("split() refuses chunks of another kind, and text where the delimiter is bytes", async () => {
  const messageOf = async (chunks: unknown[], delimiter: string | Uint8Array) =>
    String((await errorOf(run(chunks as string[], split<string>(delimiter as string))))[0]);
  assertEquals(
    await messageOf(["a", encode("b")], ","),
    "TypeError: Cannot split: a chunk must be a string, got a Uint8Array",
  );
  assertEquals(
    await messageOf([encode("b"), "a"], ","),
    'TypeError: Cannot split: a chunk must be a Uint8Array, got "a"',
  );
  assertEquals(
    await messageOf([5], ","),
    "TypeError: Cannot split: a chunk must be a string or a Uint8Array, got 5",
  );
  assertEquals(
    await messageOf(["a"], encode(",")),
    'TypeError: Cannot split: a chunk must be bytes, as the delimiter is, got "a"',
  );
});
