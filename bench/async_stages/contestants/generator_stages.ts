import { pipeline as runPipeline } from "../../../mod.ts";
import type { AsyncStep, RunAsync } from "../job.ts";
import { waits } from "../steps.ts";

function map(step: AsyncStep) {
  return async function* (chunks: AsyncIterable<number>): AsyncGenerator<number> {
    // What is yielded is waited for.
    for await (const chunk of chunks) yield step(chunk);
  };
}

function mapAtOnce(step: AsyncStep) {
  return async function* (chunks: AsyncIterable<number>): AsyncGenerator<number> {
    for await (const chunk of chunks) yield step(chunk) as number;
  };
}

export const generatorStages: RunAsync = async ({ chunks, steps, take }) => {
  const stages = steps.map((step, index) => (waits(index) ? map : mapAtOnce)(step));
  await runPipeline(chunks, ...stages as [ReturnType<typeof map>], take);
};
