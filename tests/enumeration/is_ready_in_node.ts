import { currentRuntime } from "../../runtimes/current_runtime.ts";
import { isAlike } from "./compare.ts";
import type { Case } from "./rule.ts";

const isReady = (event: string) => event.startsWith("writer: ready ");

/** Whether ours differs in nothing but that Node leaves `ready` fulfilled where a flush ends the stream that closes. */
export function isReadyInNode({ schedule, expected, actual }: Case): boolean {
  if (currentRuntime().name !== "node") return false;
  const hasEnded = schedule.deviations.some(({ at, does }) =>
    at.startsWith("flush ") && /^(?:terminates|errors)$/.test(does)
  );
  const others = (log: readonly string[]) => log.filter((event) => !isReady(event));
  const [theirs, ours] = [expected.filter(isReady), actual.filter(isReady)];
  return hasEnded && isAlike(others(expected), others(actual), "parties") &&
    actual.includes("writer: closed = done") &&
    theirs.at(-1)?.startsWith("writer: ready ! ") === true &&
    `${ours}` === `${[...theirs.slice(0, -1), "writer: ready = done"]}`;
}
