import { flatMap, hub, limitRate, pipeline as runPipeline } from "../../../mod.ts";
import { branches, concurrency, perSecond, type RunFlow } from "../job.ts";

export const pipeline: RunFlow = async ({ kind, open, openInner, passOn, take }) => {
  if (kind === "inner") {
    const inner = flatMap(openInner, { concurrency, ordered: false });
    await runPipeline(open(), inner, take);
  } else if (kind === "hub") {
    const { join } = hub(open());
    const joined = Array.from({ length: branches }, () => join());
    await Promise.all(joined.map((branch) => runPipeline(branch, take)));
  } else if (kind === "generators" || kind === "waiting") {
    await runPipeline(open(), passOn, passOn, passOn, take);
  } else await runPipeline(open(), limitRate<number>({ perSecond }), take);
};
