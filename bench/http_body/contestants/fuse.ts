import { fuse as fuseStages, map } from "../../../mod.ts";
import { fromNode } from "../../../node_compat/mod.ts";
import type { SendBody } from "../job.ts";

export const fuse: SendBody = async ({ pieces, steps, response }) => {
  const stages = steps.map((step) => map(step)) as [Transformer<string, string>];
  await ReadableStream.from(pieces).pipeThrough(fuseStages(...stages))
    .pipeTo(fromNode(response, { as: "writable" }));
};
