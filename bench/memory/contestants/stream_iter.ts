import { passFunctions } from "../../chains/pass_functions.ts";
import { type IterableStreamStage, loadStreamIter } from "../../peers/load_stream_iter.ts";
import type { RunMemory } from "../job.ts";
import { repeat } from "../steps/repeat.ts";

const { from, pipeTo } = await loadStreamIter();

export const streamIter: RunMemory = async ({ chunk, count, stages, take }) => {
  const passes = passFunctions(stages).map((pass): IterableStreamStage => (chunks) =>
    chunks && chunks.map((one) => pass(one))
  );
  await pipeTo(from(repeat(chunk, count)), ...passes, {
    write: (bytes) => Promise.resolve(take(bytes)),
    writevSync(batch) {
      for (const bytes of batch) take(bytes);
      return true;
    },
  });
};
