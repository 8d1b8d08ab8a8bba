import { findContestant } from "./find_contestant.ts";
import type { CaseRequest, Contestant, PreparedCase, Workload } from "./workload.ts";

/** A workload whose contestants are functions of one kind. */
interface WorkloadOf<Run> extends Omit<Workload, "contestants" | "prepare"> {
  readonly contestants: readonly Contestant<Run>[];
  /** The set of contestants that name none; default: `all`. */
  readonly contestantSet?: Workload["set"];
  prepare(run: Run, request: CaseRequest): PreparedCase | Promise<PreparedCase>;
}

/** Makes a workload that loads only the contestant asked for; an unknown one is an error. */
export function defineWorkload<Run>(
  { contestants, contestantSet: set, prepare, ...workload }: WorkloadOf<Run>,
): Workload {
  return {
    ...workload,
    contestants: contestants.map(({ load: _, ...entry }) => set ? { set, ...entry } : entry),
    async prepare(request) {
      const entry = findContestant(workload.name, contestants, request.contestant);
      return await prepare(await entry.load(), request);
    },
  };
}
