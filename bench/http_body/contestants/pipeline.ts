import { map, pipeline as runPipeline } from "../../../mod.ts";
import { fromNode } from "../../../node_compat/mod.ts";
import type { SendBody } from "../job.ts";

export const pipeline: SendBody = async ({ pieces, steps, response }) => {
  const stages = steps.map((step) => map(step)) as [Transformer<string, string>];
  await runPipeline(pieces, ...stages, fromNode(response, { as: "writable" }));
};
