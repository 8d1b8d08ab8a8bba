import pull from "pull-stream";
import { passFunctions } from "../../chains/pass_functions.ts";
import type { PullSource } from "../../peers/pull_source.ts";
import type { RunMemory } from "../job.ts";

export const pullStream: RunMemory = ({ chunk, count, stages, take }) => {
  let left = count;
  const source: PullSource<Uint8Array> = (abort, callback) => {
    if (abort) callback(abort);
    else if (left-- > 0) callback(null, chunk);
    else callback(true);
  };
  return new Promise((resolve, reject) => {
    const passes = passFunctions(stages).map((pass) => pull.map(pass));
    const done = (error: unknown) => error === null ? resolve() : reject(error);
    pull(source, ...passes, pull.drain(take, done));
  });
};
