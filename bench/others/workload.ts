import { findContestant } from "../measure/find_contestant.ts";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import { choiceParam } from "../params/choice_param.ts";
import { contestants } from "./contestants.ts";
import { othersRows } from "./rows.ts";

async function prepare({ contestant, params }: CaseRequest): Promise<PreparedCase> {
  const run = await findContestant("others", contestants, contestant).load();
  const row = othersRows[params.row as string]!;
  const { shape, stages = [], chunkBytes, chunks, isBytes = false, runs = 1 } = row;
  const readers = shape === "tee-in-turn" ? 2 : row.readers ?? 1;
  const chunk = new Uint8Array(chunkBytes).fill(0x41);
  let [bytes, taken] = [0, 0];
  const take = (part: Uint8Array) => {
    bytes += part.length;
    taken++;
  };
  const job = { shape, stages, chunk, chunks, isBytes, readers, take };
  const times = runs * readers * (stages.includes("expand") ? 2 : 1);
  const expected = times * chunks * chunkBytes;
  return {
    isSlowToWarm: runs > 1,
    async run() {
      bytes = taken = 0;
      for (let count = 0; count < runs; count++) await run(job);
    },
    async verify() {
      if (bytes !== expected) {
        throw new Error(`Cannot accept ${contestant}: ${bytes} of ${expected} bytes`);
      }
      return await Promise.resolve({ chunks: runs * chunks, bytes, digest: `${bytes} bytes` });
    },
    dispose: () => Promise.resolve(),
  };
}

/** What others measure, as programs of our own after their description. */
export const others: Workload = {
  name: "others",
  about: "rows that Node, Deno, fast-webstreams and new-streams publish, written after theirs",
  params: {
    row: choiceParam("row", {
      about: "whose row, and which",
      choices: Object.keys(othersRows),
      values: Object.keys(othersRows),
      quick: ["vercel-transform", "new-identity"],
      publish: Object.keys(othersRows),
    }),
  },
  rates: ["ns per chunk"],
  whyNoControl: "each row is another's, and none has a loop without streams",
  contestants: contestants.map(({ load: _, ...entry }) => ({ set: "publish" as const, ...entry })),
  prepare,
};
