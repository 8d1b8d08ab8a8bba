import { Readable, Transform, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { passFunctions } from "../../chains/pass_functions.ts";
import type { RunMemory } from "../job.ts";

export const node: RunMemory = async (job) => {
  let left = job.count;
  const source = new Readable({
    read() {
      this.push(left-- > 0 ? job.chunk : null);
    },
  });
  const stages = passFunctions(job.stages).map((pass) =>
    new Transform({ transform: (chunk, _, done) => done(null, pass(chunk)) })
  );
  const sink = new Writable({
    write(chunk, _, done) {
      job.take(chunk);
      done();
    },
  });
  await pipeline([source, ...stages, sink]);
};
