import { chainUnchecked, many } from "stream-chain/core";
import batch from "stream-chain/utils/batch.js";
import parser from "stream-chain/jsonl/parser.js";
import { batchSize, type OneStageKind, partsOf, type RunOneStage } from "../job.ts";

const stages: Partial<Record<OneStageKind, () => unknown>> = {
  "batch": () => batch(batchSize),
  "flat-map": () => (number: number) => many(partsOf(number)),
  "parse-ndjson": () => [parser(), ({ value }: { value: unknown }) => value],
};

export const streamChain: RunOneStage = async ({ kind, chunks, take }) => {
  for await (const result of chainUnchecked([stages[kind]!()])(chunks)) take(result);
};
