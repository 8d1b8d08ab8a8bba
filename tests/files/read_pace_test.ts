import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { ReadPace } from "../../src/files/read_pace.ts";

/** The next `count` steps by their initials, each synchronous one taking `elapsedMs`. */
function steps(pace: ReadPace, count: number, elapsedMs = 0): string {
  let initials = "";
  for (let index = 0; index < count; index++) {
    const step = pace.next();
    if (step !== "wait") pace.note(elapsedMs);
    initials += step[0];
  }
  return initials;
}

test("the first read waits, then one in eight yields", () => {
  assertEquals(steps(new ReadPace(), 25), "wgggggggygggggggyggggggg" + "y");
});

test("after a slow read eight wait, after the next sixteen", () => {
  const pace = new ReadPace();
  assertEquals(steps(pace, 3), "wgg");
  assertEquals(steps(pace, 1, 5), "g");
  assertEquals(steps(pace, 8), "wwwwwwww");
  assertEquals(steps(pace, 1, 5), "g");
  assertEquals(steps(pace, 16), "w".repeat(16));
  assertEquals(steps(pace, 5), "gggyg");
});

test("of a disk that is always slow, few reads are synchronous", () => {
  const all = steps(new ReadPace(), 10_000, 5);
  assertEquals(all.replaceAll("w", "").length, 11);
});

test("a read that is quick enough changes nothing", () => {
  assertEquals(steps(new ReadPace(), 17, 2), "wgggggggyggggggg" + "y");
});

test("with many readers each synchronous read yields", () => {
  const pace = new ReadPace();
  const initials = Array.from({ length: 6 }, () => pace.next(9)[0]).join("");
  assertEquals([initials, pace.next(8)], ["wyyyyy", "go"]);
});
