import pull from "pull-stream";
import type { RealWorker } from "../job.ts";
import { parse, total } from "../steps.ts";

export const pullStream: RealWorker = {
  json: ({ texts, take }) =>
    new Promise((resolve, reject) => {
      const done = (error: unknown) => error === null ? resolve() : reject(error);
      pull(pull.values([...texts()]), pull.map(parse), pull.map(total), pull.drain(take, done));
    }),
};
