import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { isAlike } from "./compare.ts";
import type { Case } from "./rule.ts";

/** Whether ours differs in nothing but that Node leaves `ready` fulfilled, where a close ends in a stream that fails. */
export function isReadyInNode({ expected, actual }: Case): boolean {
  if (currentRuntime().name !== "node") return false;
  const others = (log: readonly string[]) =>
    log.filter((event) => !event.startsWith("writer: ready "));
  const last = (log: readonly string[]) =>
    log.findLast((event) => event.startsWith("writer: ready "));
  return isAlike(others(expected), others(actual), "parties") &&
    actual.some((event) => /^writer: close \d+ = done$/.test(event)) &&
    last(expected)?.startsWith("writer: ready ! ") === true &&
    last(actual) === "writer: ready = done";
}
