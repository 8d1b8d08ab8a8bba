import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { parseInstant } from "../../../scenarios/extract/read_extract_flags.ts";

const read = (text: string, timeZone = "UTC") => new Date(parseInstant(text, timeZone)).toJSON();

test("a date is its midnight, a time is itself, in UTC", () => {
  assertEquals(read("2026-01-31"), "2026-01-31T00:00:00.000Z");
  assertEquals(read("2024-02-29"), "2024-02-29T00:00:00.000Z");
  assertEquals(read("2026-01-31T08:30"), "2026-01-31T08:30:00.000Z");
  assertEquals(read("2026-01-31 08:30:15.5"), "2026-01-31T08:30:15.500Z");
});

test("an offset of its own counts more than the zone", () => {
  assertEquals(read("2026-01-31T08:30Z", "Asia/Tokyo"), "2026-01-31T08:30:00.000Z");
  assertEquals(read("2026-01-31T08:30+05:45", "Asia/Tokyo"), "2026-01-31T02:45:00.000Z");
  assertEquals(read("2026-01-31T08:30-03:00"), "2026-01-31T11:30:00.000Z");
});

test("a date in a zone is midnight there, in winter and in summer", () => {
  assertEquals(read("2026-01-31", "Europe/Zurich"), "2026-01-30T23:00:00.000Z");
  assertEquals(read("2026-07-01", "Europe/Zurich"), "2026-06-30T22:00:00.000Z");
  assertEquals(read("2026-01-31", "America/New_York"), "2026-01-31T05:00:00.000Z");
  assertEquals(read("2026-01-31", "Asia/Kathmandu"), "2026-01-30T18:15:00.000Z");
  assertEquals(read("1969-07-20", "America/Chicago"), "1969-07-20T05:00:00.000Z");
});

test("the days on which clocks change begin and end where they do", () => {
  assertEquals(read("2026-03-29", "Europe/Zurich"), "2026-03-28T23:00:00.000Z");
  assertEquals(read("2026-03-30", "Europe/Zurich"), "2026-03-29T22:00:00.000Z");
  assertEquals(read("2026-10-25", "Europe/Zurich"), "2026-10-24T22:00:00.000Z");
  assertEquals(read("2026-10-26", "Europe/Zurich"), "2026-10-25T23:00:00.000Z");
});

test("of a time that comes twice it is the first, of one that never comes the moment after the gap", () => {
  assertEquals(read("2026-10-25T02:30", "Europe/Zurich"), "2026-10-25T00:30:00.000Z");
  // Midnight itself was skipped: the day began at one.
  assertEquals(read("2018-11-04", "America/Sao_Paulo"), "2018-11-04T03:00:00.000Z");
  assertEquals(read("2026-03-29T02:30", "Europe/Zurich"), "2026-03-29T01:30:00.000Z");
});

test("what is no date or no time is refused", () => {
  const texts = ["", "yesterday", "2026-02-30", "2025-02-29", "2026-13-01", "2026-1-1", "20260131"];
  const times = ["24:00", "10:60", "10:00:60", "10:00:61", "10", "10:00:00.0001", "10:00[UTC]"];
  const dates = ["2026-01-31Z", "+002026-01-31", "-000001-01-01", "2026-W05-6", "2026-031"];
  const all = [...texts, ...dates, ...times.map((time) => `2026-01-31T${time}`)];
  for (const text of [...all, " 2026-01-31", "2026-01-31\n", "2026-01-31T10:00z"]) {
    const { message } = assertThrows(() => read(text), RangeError);
    assertEquals(
      message,
      "must be a date such as 2026-01-31 or a time such as 2026-01-31T08:30Z, got " +
        JSON.stringify(text),
    );
  }
  assertThrows(() => read("2026-01-31", "Mars/Olympus"), RangeError);
  for (const offset of ["+14:01", "-14:30", "+15:00", "+10:60", "-99:99"]) {
    const { message } = assertThrows(() => read(`2026-01-31T10:00${offset}`), RangeError);
    assertEquals(
      message,
      `must have an offset from -14:00 to +14:00, got ${JSON.stringify(offset)}`,
    );
  }
});
