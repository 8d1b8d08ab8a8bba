import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import * as library from "../../mod.ts";
import { isAlike } from "./compare.ts";
import { libraryOf, probedOf, standardOf } from "./implementations.ts";
import { runBatch } from "./run_batch.ts";
import { plainSchedules, type Schedule } from "./schedule.ts";
import { walkSchedules } from "./search.ts";
import { withStoppedClock } from "../lib/with_stopped_clock.ts";

const ours = libraryOf(library);
const native = standardOf(globalThis);

const parts = [
  { name: "fuse", plain: ours, way: "fuse", stages: 1, chunks: 2, deviations: 2, every: 60 },
  { name: "fuse", plain: ours, way: "fuse", stages: 2, chunks: 3, deviations: 1, every: 1 },
  { name: "native", plain: native, way: "fuse", stages: 1, chunks: 2, deviations: 1, every: 1 },
  { name: "pipeline", plain: ours, way: "pipeline", stages: 0, chunks: 2, deviations: 1, every: 1 },
  { name: "pipeline", plain: ours, way: "pipeline", stages: 1, chunks: 2, deviations: 1, every: 1 },
] as const;

for (const { name, plain, way, stages, chunks, deviations, every } of parts) {
  test(
    `${name}, ${stages} stages, probed: with ${deviations} deviations all is as without a probe`,
    {
      timeout: 600_000,
    },
    async () => {
      const probed = probedOf(plain);
      const different: Schedule[] = [];
      let count = 0;
      // Many runs go on at a time: a clock would end the turns of some for the time that others take.
      await withStoppedClock(async () => {
        for (const schedule of plainSchedules(way, stages, chunks)) {
          await walkSchedules(schedule, {
            deviations,
            every,
            async run(schedules) {
              const runs = await runBatch(schedules, plain);
              const others = await runBatch(schedules, probed);
              count += runs.length;
              for (const [index, { log }] of runs.entries()) {
                if (!isAlike(log, others[index]!.log, "order")) different.push(schedules[index]!);
              }
              return runs.map(({ choices }) => choices);
            },
          });
        }
      });
      assert(count > 300, `${count} schedules`);
      assertEquals(different.slice(0, 3), []);
    },
  );
}
