import { Readable, Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { passFunctions } from "../../chains/pass_functions.ts";
import type { RunMemory } from "../job.ts";
import { nodeOptions } from "../steps/node_options.ts";

export const node: RunMemory = async (job) => {
  const options = nodeOptions(job);
  let left = job.count;
  const source = new Readable({
    ...options,
    read() {
      this.push(left-- > 0 ? job.chunk : null);
    },
  });
  const stages = passFunctions(job.stages).map((pass) =>
    new Transform({ ...options, transform: (chunk, _, done) => done(null, pass(chunk)) })
  );
  const sink = new Writable({
    ...options,
    write(chunk, _, done) {
      job.take(chunk);
      done();
    },
  });
  await pipeline([source, ...stages, sink]);
};
