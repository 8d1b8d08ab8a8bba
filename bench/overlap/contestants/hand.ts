import type { RunOverlap } from "../job.ts";

export const hand: RunOverlap = async ({ count, wait, take }) => {
  let second: Promise<void> = Promise.resolve();
  for (let number = 0; number < count; number++) {
    const waited = await wait(number);
    await second;
    second = wait(waited).then(take);
  }
  await second;
};
