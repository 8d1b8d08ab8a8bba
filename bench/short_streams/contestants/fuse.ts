import { fuse as fuseStages } from "../../../mod.ts";
import { toStages } from "../../chains/to_stages.ts";
import type { RunShort } from "../job.ts";
import { pullUp } from "../pull_up.ts";
import { drain } from "./drain.ts";

export const fuse: RunShort = ({ chunks, steps, take }) => {
  const stages = toStages({ isBatched: false, steps }) as [Transformer];
  return drain(pullUp(chunks).pipeThrough(fuseStages(...stages)), take);
};
