import { test } from "node:test";
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { parseHttpDate } from "../../src/files/parse_http_date.ts";

const seconds = Date.UTC(1994, 10, 6, 8, 49, 37) / 1000;

test("parseHttpDate reads the three forms of the standard", () => {
  assertEquals(parseHttpDate("Sun, 06 Nov 1994 08:49:37 GMT"), seconds);
  assertEquals(parseHttpDate("Sunday, 06-Nov-94 08:49:37 GMT"), seconds);
  assertEquals(parseHttpDate("Sun Nov  6 08:49:37 1994"), seconds);
});

test("parseHttpDate reads what toUTCString writes", () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 253402300799 }), (value) => {
    assertEquals(parseHttpDate(new Date(value * 1000).toUTCString()), value);
  }));
});

test("parseHttpDate puts a year of two digits at most 50 years ahead", () => {
  const now = Date.UTC(2026, 0, 1);
  const yearOf = (text: string) =>
    new Date(parseHttpDate(`Monday, 01-Jan-${text} 00:00:00 GMT`, now)! * 1000).getUTCFullYear();
  assertEquals(["00", "26", "76", "77", "99"].map(yearOf), [2000, 2026, 2076, 1977, 1999]);
});

test("parseHttpDate reads nothing else", () => {
  for (
    const text of ["", "now", "0", "1994-11-06T08:49:37Z", "Sun, 6 Nov 1994 08:49:37 GMT"]
      .concat([
        "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "sun, 06 nov 1994 08:49:37 gmt",
      ])
      .concat([
        "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:00 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06 Foo 1994 08:49:37 GMT",
      ])
  ) {
    assertEquals(parseHttpDate(text), undefined, text);
  }
});

test("parseHttpDate reads the last moment of a day, and a leap second as the one after it", () => {
  const midnight = Date.UTC(1994, 10, 7) / 1000;
  assertEquals(parseHttpDate("Sun, 06 Nov 1994 23:59:59 GMT"), midnight - 1);
  assertEquals(parseHttpDate("Sun, 06 Nov 1994 23:59:60 GMT"), midnight);
});
