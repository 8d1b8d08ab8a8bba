import { currentRuntime } from "../../runtimes/current_runtime.ts";

const thrown = /^(write \d+) # Error$/;

/**
 * In Node a write while a close goes on throws, where others reject: the logs as if it did, since a rejection is seen
 * at any later point of its turn. None if nothing throws.
 */
export function asIfRejected(log: readonly string[]): string[][] {
  const at = currentRuntime().name === "node" ? log.findIndex((event) => thrown.test(event)) : -1;
  if (at < 0) return [];
  const rejected = log[at]!.replace(thrown, "writer: $1 ! TypeError");
  const rest = log.slice(at + 1);
  const end = rest.indexOf("|");
  const logs = Array.from(
    { length: (end < 0 ? rest.length : end) + 1 },
    (_, later) => [...log.slice(0, at), ...rest.slice(0, later), rejected, ...rest.slice(later)],
  );
  return logs.flatMap((one) => one.some((event) => thrown.test(event)) ? asIfRejected(one) : [one]);
}
