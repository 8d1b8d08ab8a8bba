import callbags from "callbag-basics";
import type { Chunk, RunChain } from "../job.ts";
import { pushSource } from "../push_source.ts";

const { filter, forEach, fromObs, map, pipe } = callbags;

export const callbag: RunChain = async (job) => {
  const written: Chunk[] = [];
  const steps = job.steps.map(({ kind, fn }) => kind === "map" ? map(fn) : filter(fn));
  let push: (chunk: Chunk) => void = () => {};
  const subscribable = {
    subscribe(observer: { next(chunk: Chunk): void }) {
      push = (chunk) => observer.next(chunk);
      return { unsubscribe() {} };
    },
  };
  const take = forEach((chunk: Chunk) => void written.push(chunk));
  // A chain of any length has no type.
  (pipe as (...parts: unknown[]) => void)(fromObs(subscribable), ...steps, take);
  await pushSource(job, (chunk) => push(chunk), written);
};
