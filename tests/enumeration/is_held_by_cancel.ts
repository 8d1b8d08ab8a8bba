import { isAlike } from "./compare.ts";
import { isAhead } from "./is_ahead.ts";
import { outcomesOf } from "./outcomes_of.ts";
import type { Case } from "./rule.ts";

/**
 * Whether a stage after the first has a `cancel` that takes time, and ours differs in nothing but in what is before it:
 * that has taken less meanwhile, and has ended by what the stage is cancelled for, or by what its cancel fails with.
 */
export function isHeldByCancel(given: Case): boolean {
  const { schedule, expected, actual } = given;
  const { way, deviations } = schedule;
  if (way !== "fuse") return false;
  const pending = deviations.find(({ at, does }) =>
    /^cancel [1-9]/.test(at) && /^(?:fulfils|rejects)/.test(does)
  );
  if (pending === undefined) return false;
  const stage = Number(pending.at.split(" ")[1]);
  const isBefore = (event: string) =>
    event.startsWith("writer: ") || event.startsWith(`stage ${stage}: transform `) ||
    Number(/^stage (\d+): /.exec(event)?.[1] ?? stage) < stage;
  const others = (log: readonly string[]) => log.filter((event) => !isBefore(event));
  if (!isAlike(others(expected), others(actual), "parties")) return false;
  const start = `stage ${stage}: cancel `;
  const reason = actual.find((event) => event.startsWith(start))?.slice(start.length);
  if (reason === undefined) return false;
  // What a stage has taken before may be more than natively, where the chain runs ahead.
  const before = (log: readonly string[]) => {
    const place = log.findIndex((event) => event.startsWith(start));
    return place < 0 ? log : log.slice(0, log.lastIndexOf("|", place) + 1);
  };
  const mayBeAhead = isAhead({ ...given, expected: before(expected), actual: before(actual) });
  const reasons = [pending.does.startsWith("rejects") ? pending.at : reason];
  for (let index = 0; index <= stage; index++) {
    const [theirs, ours] = [expected, actual].map((log) =>
      log.filter((event) =>
        event.startsWith(`stage ${index}: `) && (index < stage || !event.includes(": cancel "))
      )
    );
    const taken = ours!.filter((event) => !event.includes(": cancel "));
    const ends = ours!.slice(taken.length);
    const isLess = taken.every((event, place) => event === theirs![place]);
    if (!isLess && !mayBeAhead) return false;
    if (!ends.every((end) => reasons.includes(end.split(": cancel ")[1]!))) return false;
  }
  const theirs = outcomesOf(expected, "writer");
  return [...outcomesOf(actual, "writer")].every(([name, outcome]) =>
    outcome === theirs.get(name) || reasons.some((reason) => outcome === `! ${reason}`) ||
    outcome === "! TypeError" || name.startsWith("writer: desiredSize") || name === "writer: ready"
  );
}
