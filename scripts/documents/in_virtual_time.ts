import { type VirtualTime, virtualTime } from "@hosepipe/streams/testing";

let last: Promise<unknown> = Promise.resolve();

/** Runs one thing after the other in virtual time, which a realm has once: modules are loaded side by side. */
export function inVirtualTime<T>(use: (time: VirtualTime) => Promise<T>): Promise<T> {
  const run = async () => {
    await using time = virtualTime();
    return await use(time);
  };
  const result = last.then(run, run);
  last = result;
  return result;
}
