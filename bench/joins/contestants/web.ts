import type { RunJoin } from "../job.ts";

/** Each reader but the last has one half of a `tee`. */
export const web: RunJoin = async ({ count, open, take }) => {
  const branches: ReadableStream<number>[] = [];
  let rest: ReadableStream<number> = ReadableStream.from(open());
  while (branches.length < count - 1) {
    const [branch, other] = rest.tee();
    branches.push(branch);
    rest = other;
  }
  await Promise.all([...branches, rest].map(async (branch) => {
    for await (const value of branch) take(value);
  }));
};
