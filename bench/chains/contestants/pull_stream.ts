import pull from "pull-stream";
import { type PullCallback, pullSource } from "../../peers/pull_source.ts";
import type { Chunk, RunChain } from "../job.ts";

export const pullStream: RunChain = ({ source, isBatched, steps, write }) =>
  new Promise((resolve, reject) => {
    const take = (chunk: Chunk, callback: PullCallback<void>) => {
      let written: void | Promise<void>;
      try {
        written = write(chunk);
      } catch (error) {
        return callback(error);
      }
      if (written) written.then(() => callback(null), callback);
      else callback(null);
    };
    pull(
      pullSource(source()),
      ...isBatched ? [pull.flatten()] : [],
      ...steps.map(({ kind, fn }) => pull[kind](fn)),
      pull.asyncMap(take),
      pull.onEnd((end: unknown) => end ? reject(end) : resolve()),
    );
  });
