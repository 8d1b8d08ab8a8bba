import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import split from "split2";
import type { RunOneStage } from "../job.ts";

export const split2: RunOneStage = async ({ chunks, take }) => {
  const values = split(JSON.parse);
  values.on("data", take);
  await pipeline(Readable.from(chunks), values);
};
