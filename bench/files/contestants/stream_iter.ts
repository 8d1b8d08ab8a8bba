import { open } from "node:fs/promises";
import { loadStreamIter } from "../../peers/load_stream_iter.ts";
import type { RunFile } from "../job.ts";

const { pipeTo } = await loadStreamIter();

export const streamIter: RunFile = async ({ inputPath, outputPath, take }) => {
  await using input = await open(inputPath);
  if (outputPath === undefined) {
    await pipeTo(input.pull(), { write: (chunk) => Promise.resolve(take(chunk)) });
  } else {
    await using output = await open(outputPath, "w");
    await pipeTo(input.pull(), output.writer());
  }
};
