import process from "node:process";
import * as library from "../../mod.ts";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { describeTally, enumerate } from "./enumerate.ts";
import { libraryOf, standardOf } from "./implementations.ts";
import { loadReference, referenceFile } from "./reference.ts";
import { kindOf } from "./compare.ts";
import { mutantsOf } from "./mutants_of.ts";
import { excuse } from "./rules.ts";
import { sections } from "./schedule.ts";
import { withStoppedClock } from "../lib/with_stopped_clock.ts";

const isThere = referenceFile() !== undefined;
if (!isThere && process.env.HOSEPIPE_REQUIRE_REFERENCE === "1") {
  throw new Error("REFERENCE_STREAMS is not set, and HOSEPIPE_REQUIRE_REFERENCE says it must be");
}
if (!isThere) test("enumeration not run: REFERENCE_STREAMS is not set", { skip: true }, () => {});

/** What the gate tries: all of a part, or of those with most deviations each so manyth. */
const parts: Record<string, { readonly deviations: number; readonly every?: number }> = {
  "fuse 1": { deviations: 2, every: 80 },
  "fuse 2": { deviations: 1, every: 4 },
  "fuse 3": { deviations: 1, every: 4 },
  "pipeline 0": { deviations: 2, every: 40 },
  "pipeline 1": { deviations: 1 },
  "pipeline 2": { deviations: 1, every: 4 },
  "pipeline 3": { deviations: 1, every: 4 },
};

for (const section of isThere ? sections : []) {
  const { way, stages, chunks } = section;
  const part = parts[`${way} ${stages}`]!;
  const title = `${way}, ${stages} stages, ${chunks} chunks`;
  test(`${title}: with ${part.deviations} deviations, what differs from the standard is listed`, {
    timeout: 600_000,
  }, async () => {
    const { classes, trips } = await loadReference();
    // Many runs go on at a time: a clock would end the turns of some for the time that others take.
    // What a rule explains it explains no more once the run contradicts itself.
    const explained: string[] = [];
    await withStoppedClock(async () => {
      const tally = await enumerate({ ...section, deviations: part.deviations }, {
        contestants: {
          reference: standardOf(classes, trips),
          native: standardOf(globalThis),
          library: libraryOf(library),
        },
        every: part.every,
        onExcused({ schedule, expected, actual }) {
          for (const { name, log } of mutantsOf(actual, expected)) {
            const given = { schedule, expected, actual: log, native: [], hasTripped: false };
            if (kindOf(schedule, expected, log) === undefined) continue;
            // That an end is not heard of may be what the rule explains.
            if (/^gone: \w+: closed/.test(name)) continue;
            const rule = excuse(given);
            if (rule !== undefined) explained.push(`${rule}: ${name}`);
          }
        },
      });
      assertEquals(explained, []);
      assert(tally.schedules > 500, `${tally.schedules} schedules`);
      const { order, moment, outcome } = tally.library;
      assertEquals(order + moment + outcome, 0, describeTally(tally));
    });
  });
}
