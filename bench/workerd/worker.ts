/**
 * What runs in workerd: a request names a case and how many chunks go through. It is timed from outside, since clocks
 * stand still there while code runs.
 */
import { findContestant } from "../measure/find_contestant.ts";
import { contestants } from "../native_marks/contestants.ts";
import { moveNumbers } from "../native_ends/move_numbers.ts";

export default {
  async fetch({ url }: Request): Promise<Response> {
    const query = new URL(url).searchParams;
    const contestant = query.get("contestant")!;
    const [stageCount, marks, chunks] = ["stages", "marks", "chunks"].map((name) =>
      Number(query.get(name))
    ) as [number, number, number];
    const run = await findContestant("native_marks", contestants, contestant).load();
    const added = stageCount * (stageCount - 1) / 2;
    const prepared = moveNumbers(run, {
      ...{ contestant, chunks },
      stages: Array.from({ length: stageCount }, (_, stage) => (chunk: number) => chunk + stage),
      expected: chunks * (chunks - 1) / 2 + chunks * added,
      strategy: marks === 0 ? undefined : { highWaterMark: marks },
    });
    await prepared.run();
    return new Response((await prepared.verify()).digest);
  },
};
