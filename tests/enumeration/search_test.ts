import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { plainSchedules, type Schedule } from "./schedule.ts";
import { walkSchedules } from "./search.ts";

const [plain] = plainSchedules("fuse", 1, 2);

/** A run with three choices of two; choosing `more` at the first place adds a fourth. */
function choicesOf({ deviations }: Schedule) {
  const hasMore = deviations.some(({ at, does }) => at === "a" && does === "more");
  return ["a", "b", "c", ...hasMore ? ["d"] : []].map((at) => ({ at, options: ["more", "less"] }));
}

async function walked(deviations: number, every?: number): Promise<string[]> {
  const seen: string[] = [];
  await walkSchedules(plain!, {
    deviations,
    every,
    run: (schedules) => {
      for (const { deviations } of schedules) {
        seen.push(deviations.map(({ at, does }) => at + does[0]).join(" "));
      }
      return Promise.resolve(schedules.map(choicesOf));
    },
  });
  return seen;
}

test("every schedule is tried once, those with few deviations first", async () => {
  const seen = await walked(2);
  assertEquals(new Set(seen).size, seen.length);
  assertEquals(seen.slice(0, 7), ["", "am", "al", "bm", "bl", "cm", "cl"]);
  // Two of three places with two ways each, and two more where there is a fourth.
  assertEquals(seen.length, 1 + 6 + 12 + 2);
});

test("three deviations are each set of three places", async () => {
  const seen = await walked(3);
  // Of three places 8; with the fourth, which needs "more" at the first, 2 × 2 × 2 more.
  assertEquals(seen.filter((names) => names.split(" ").length === 3).length, 8 + 8);
});

test("a part leaves out only schedules with most deviations", async () => {
  const [all, part] = [await walked(2), await walked(2, 5)];
  assertEquals(part.slice(0, 7), all.slice(0, 7));
  assertEquals(part.slice(7), all.slice(7).filter((_, index) => index % 5 === 0));
});

test("an abort ends the walk", async () => {
  const controller = new AbortController();
  let runs = 0;
  await walkSchedules(plain!, {
    deviations: 2,
    signal: controller.signal,
    run(schedules) {
      runs += schedules.length;
      controller.abort();
      return Promise.resolve(schedules.map(choicesOf));
    },
  });
  assertEquals(runs, 1);
});
