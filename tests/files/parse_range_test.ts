import { test } from "node:test";
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { type ByteRange, parseRange } from "../../src/files/parse_range.ts";

/** The only range that was found. */
function only(found: ReturnType<typeof parseRange>): ByteRange {
  const [range, ...others] = found as ByteRange[];
  assertEquals(others, []);
  return range!;
}

const bytes = Uint8Array.from({ length: 1000 }, (_, index) => index % 251);

test("parseRange means by first and last what slice means by them", () => {
  fc.assert(fc.property(fc.nat(1100), fc.nat(1100), fc.nat(1000), (first, last, size) => {
    const found = parseRange(`bytes=${first}-${last}`, size);
    const wanted = bytes.slice(0, size).slice(first, last + 1);
    if (last < first) assertEquals(found, undefined);
    else if (size === 0 && first === 0) {
      assertEquals(found, undefined, "an empty file is all there is");
    } else if (first >= size) assertEquals(found, "unsatisfiable");
    else {
      const { start, end } = only(found);
      assertEquals(bytes.slice(start, end), wanted);
      assertEquals(end <= size, true);
    }
  }));
});

test("parseRange means by an open end and by a suffix what slice means by them", () => {
  fc.assert(fc.property(fc.nat(1100), fc.integer({ min: 1, max: 1000 }), (count, size) => {
    const whole = bytes.slice(0, size);
    const check = (header: string, wanted: Uint8Array) => {
      const found = parseRange(header, size);
      if (wanted.length === 0) assertEquals(found, "unsatisfiable");
      else {
        const { start, end } = only(found);
        assertEquals(bytes.slice(start, end), wanted);
      }
    };
    check(`bytes=${count}-`, whole.slice(count));
    check(`bytes=-${count}`, count === 0 ? new Uint8Array() : whole.slice(-count));
  }));
});

test("parseRange takes no other text for a range", () => {
  fc.assert(fc.property(fc.string(), (text) => {
    const found = parseRange(text, 1000);
    if (!/^bytes=/i.test(text)) assertEquals(found, undefined);
  }));
  for (
    const text of [
      "bytes=0-1,2-x",
      "bytes=0-1,1-0",
      "bytes=1-0",
      "bytes=-",
      "bytes=",
      "bytes=٣-٤",
      "bytes=1 -2",
    ]
  ) {
    assertEquals(parseRange(text, 1000), undefined, text);
  }
});

test("parseRange keeps to the size however many digits there are", () => {
  const huge = "9".repeat(400);
  assertEquals(only(parseRange(`bytes=0-${huge}`, 10)), { start: 0, end: 10 });
  assertEquals(only(parseRange(`bytes=-${huge}`, 10)), { start: 0, end: 10 });
  assertEquals(parseRange(`bytes=${huge}-`, 10), "unsatisfiable");
  assertEquals(parseRange("bytes=9007199254740993-9007199254740992", 10), undefined);
});

test("parseRange takes what begins an empty file for all of it", () => {
  for (const text of ["bytes=0-", "bytes=0-9", "bytes=-5"]) {
    assertEquals(parseRange(text, 0), undefined, text);
  }
  for (const text of ["bytes=1-", "bytes=-0"]) assertEquals(parseRange(text, 0), "unsatisfiable");
});

test("parseRange joins ranges that overlap or touch, and keeps the order of the others", () => {
  const found = (text: string) => {
    const ranges = parseRange(`bytes=${text}`, 100);
    return Array.isArray(ranges)
      ? ranges.map(({ start, end }) => `${start}-${end - 1}`).join()
      : ranges;
  };
  assertEquals(found("10-19,0-4"), "10-19,0-4");
  assertEquals(found("0-4,3-9"), "0-9");
  assertEquals(found("0-4,5-9"), "0-9");
  assertEquals(found("0-4,6-9"), "0-4,6-9");
  assertEquals(found("20-29,0-4,10-19"), "10-29,0-4");
  assertEquals(found("0-4,20-29,5-19"), "0-29");
  assertEquals(found("50-,-10,0-0"), "50-99,0-0");
  assertEquals(found("0-1,500-,-0"), "0-1");
  assertEquals(found("500-,-0"), "unsatisfiable");
});

test("parseRange covers the bytes that are named, each once, in any list of ranges", () => {
  const range = fc.tuple(fc.nat(60), fc.nat(60)).map(([one, other]) =>
    [Math.min(one, other), Math.max(one, other)] as const
  );
  fc.assert(fc.property(fc.array(range, { minLength: 1, maxLength: 16 }), (wanted) => {
    const found = parseRange(`bytes=${wanted.map(([a, b]) => `${a}-${b}`).join()}`, 50);
    const covered = new Set<number>();
    for (const [a, b] of wanted) for (let at = a; at <= Math.min(b, 49); at++) covered.add(at);
    if (covered.size === 0) return assertEquals(found, "unsatisfiable");
    const got = (found as ByteRange[]).flatMap(({ start, end }) =>
      Array.from({ length: end - start }, (_, index) => start + index)
    );
    assertEquals(got.length, covered.size);
    assertEquals(new Set(got), covered);
  }));
});

test("parseRange reads up to 16 ranges, and more as none", () => {
  const list = (count: number) =>
    `bytes=${Array.from({ length: count }, (_, index) => `${index * 2}-${index * 2}`).join()}`;
  assertEquals(parseRange(list(16), 1000)?.length, 16);
  assertEquals(parseRange(list(17), 1000), undefined);
});
