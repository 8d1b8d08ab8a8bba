import type { Chunk, RunChain } from "../job.ts";

export const stepList: RunChain = async ({ source, isBatched, steps, write }) => {
  const pass = (chunk: Chunk): void | Promise<void> => {
    let result = chunk;
    for (const step of steps) {
      if (step.kind === "map") result = step.fn(result);
      else if (!step.fn(result)) return;
    }
    return write(result);
  };
  for await (const item of source()) {
    if (!isBatched) await pass(item);
    else {
      for (const chunk of item) {
        const written = pass(chunk);
        if (written) await written;
      }
    }
  }
};
