import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { enumerate } from "./enumerate.ts";
import { type Implementation, standardOf } from "./implementations.ts";
import type { Section } from "./sections.ts";

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

test("pipeline: another reason than the first is found", async () => {
  const { open } = await openOf(pipeline, {
    ...native,
    piping: {
      ...native.piping,
      pipe: (...args) =>
        native.piping.pipe(...args).catch(() => {
          throw new Error("another");
        }),
    },
  });
  assert(open > 0);
});
