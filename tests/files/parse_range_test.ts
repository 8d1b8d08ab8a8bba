import { test } from "node:test";
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { parseRange } from "../../src/files/parse_range.ts";

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
      const { start, end } = found as { start: number; end: number };
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
        const { start, end } = found as { start: number; end: number };
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
    const text of ["bytes=0-1,2-3", "bytes=1-0", "bytes=-", "bytes=", "bytes=٣-٤", "bytes=1 -2"]
  ) {
    assertEquals(parseRange(text, 1000), undefined, text);
  }
});

test("parseRange keeps to the size however many digits there are", () => {
  const huge = "9".repeat(400);
  assertEquals(parseRange(`bytes=0-${huge}`, 10), { start: 0, end: 10 });
  assertEquals(parseRange(`bytes=-${huge}`, 10), { start: 0, end: 10 });
  assertEquals(parseRange(`bytes=${huge}-`, 10), "unsatisfiable");
  assertEquals(parseRange("bytes=9007199254740993-9007199254740992", 10), undefined);
});

test("parseRange takes what begins an empty file for all of it", () => {
  for (const text of ["bytes=0-", "bytes=0-9", "bytes=-5"]) {
    assertEquals(parseRange(text, 0), undefined, text);
  }
  for (const text of ["bytes=1-", "bytes=-0"]) assertEquals(parseRange(text, 0), "unsatisfiable");
});
