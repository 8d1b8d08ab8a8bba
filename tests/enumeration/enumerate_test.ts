import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { enumerate } from "./enumerate.ts";
import { type Implementation, standardOf } from "./implementations.ts";
import { plainSchedules, type Schedule, type Section } from "./schedule.ts";
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

// The runtime's streams stand in for all three, so that no reference is needed.
const native = standardOf(globalThis);
const fuse: Section = { way: "fuse", stages: 1, chunks: 2, deviations: 1 };
const pipeline: Section = { way: "pipeline", stages: 1, chunks: 2, deviations: 1 };

async function openOf(section: Section, library: Implementation) {
  const { library: { order, moment, outcome }, schedules, examples } = await enumerate(section, {
    contestants: { reference: native, native, library },
    every: 25,
  });
  return { open: order + moment + outcome, schedules, examples };
}

/** A stage as a faulty library would call it. */
function withFault(change: Partial<Transformer<unknown, unknown>>): Implementation {
  return {
    ...native,
    makePair: ([stage, ...rest], ...strategies) =>
      native.makePair([{ ...stage!, ...change }, ...rest], ...strategies),
    piping: {
      ...native.piping,
      pipe: (source, [stage, ...rest], ...others) =>
        native.piping.pipe(source, [{ ...stage!, ...change }, ...rest], ...others),
    },
  };
}

for (const section of [fuse, pipeline]) {
  test(`${section.way}: what is the same differs in nothing`, async () => {
    const { open, schedules } = await openOf(section, native);
    assertEquals(open, 0);
    assert(schedules > 50, `${schedules}`);
  });

  test(`${section.way}: a cancel that a stage never gets is found`, async () => {
    const { open, examples } = await openOf(section, withFault({ cancel: undefined! }));
    assert(open > 0);
    assert(examples.every(({ schedule }) => schedule.deviations.length === 1));
  });

  test(`${section.way}: a chunk that is lost is found`, async () => {
    const { open } = await openOf(section, withFault({ transform() {} }));
    assert(open > 0);
  });
}

test("pipeline: a failure that gets lost is found", async () => {
  const { open } = await openOf(pipeline, {
    ...native,
    piping: {
      ...native.piping,
      pipe: (...args) => native.piping.pipe(...args).catch(() => {}),
    },
  });
  assert(open > 0);
});
