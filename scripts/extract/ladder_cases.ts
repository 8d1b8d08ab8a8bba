import type { BenchCase } from "../../bench/measure/bench_case.ts";
import { selectCases } from "../../bench/measure/select_cases.ts";
import type { Workload } from "../../bench/measure/workload.ts";
import { describeCase } from "../../bench/results/describe_case.ts";
import type { RuntimeName } from "../../runtimes/current_runtime.ts";

interface Place {
  readonly database: string;
  readonly delayMs: string;
  readonly days: string;
  /** Where less is measured: what the other runtimes would add is seen at the other distances. */
  readonly isNodeAlone?: boolean;
}

/** Both periods where memory is compared; elsewhere the longer. */
const places: readonly Place[] = [
  { database: "sqlite", delayMs: "0", days: "30" },
  { database: "postgres", delayMs: "10", days: "1,30" },
  { database: "ferretdb", delayMs: "10", days: "1,30" },
  { database: "postgres", delayMs: "0", days: "30" },
  { database: "postgres", delayMs: "2", days: "30", isNodeAlone: true },
  { database: "ferretdb", delayMs: "0,2", days: "30", isNodeAlone: true },
];

/** What both ladders come to, as the article about extracting shows them. */
export function ladderCases(
  { near, far, runtimes, contestants }: {
    readonly near: Workload;
    readonly far: Workload;
    readonly runtimes: readonly RuntimeName[];
    /** Default: all. */
    readonly contestants?: readonly string[] | undefined;
  },
): BenchCase[] {
  const select = (workload: Workload, some: readonly RuntimeName[], params: readonly string[]) => {
    const known = workload.contestants
      .filter((entry) => some.some((name) => entry.runtimes?.includes(name) ?? true))
      .map(({ name }) => name);
    const chosen = contestants?.filter((name) => known.includes(name)) ?? known;
    return chosen.length === 0 || some.length === 0 ? [] : selectCases({
      ...{ workloads: [workload], runtimes: some, contestants: chosen, params, values: "all" },
    });
  };
  const all = [
    ...select(near, runtimes, []),
    ...places.flatMap(({ isNodeAlone, ...params }) =>
      select(
        far,
        isNodeAlone ? runtimes.filter((name) => name === "node") : runtimes,
        Object.entries(params).map(([name, values]) => `${name}=${values}`),
      )
    ),
  ];
  // Each selection brings its own row of nothing.
  return [...new Map(all.map((one) => [describeCase(one), one])).values()];
}
