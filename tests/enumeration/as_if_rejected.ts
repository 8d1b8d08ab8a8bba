import { currentRuntime } from "../../runtimes/current_runtime.ts";

const thrown = /^(write \d+) # Error$/;

/** In Node a write while a close goes on throws, where others reject; the log as if it did; undefined if none throws. */
export function asIfRejected(log: readonly string[]): string[] | undefined {
  if (currentRuntime().name !== "node" || !log.some((event) => thrown.test(event))) {
    return undefined;
  }
  return log.map((event) => event.replace(thrown, "writer: $1 ! TypeError"));
}
