import type { Step } from "../../chains/job.ts";
import * as steps from "./steps.ts";

/** The steps of one run of the job, in order, from lines read to lines to be written. */
export interface JobSteps {
  readonly steps: readonly Step[];
  /** How many lines the counting step has seen. */
  linesRead(): number;
}

/** Describes the job copy_lines as a list of steps, `passes` of which do nothing. */
export function createSteps(passes: readonly ((chunk: string) => string)[]): JobSteps {
  let linesRead = 0;
  const count = (line: string) => {
    linesRead++;
    return line;
  };
  return {
    steps: [
      { kind: "map", fn: count },
      { kind: "map", fn: steps.trim },
      { kind: "filter", fn: steps.isNotEmpty },
      { kind: "filter", fn: steps.isNotComment },
      { kind: "map", fn: steps.splitFields },
      { kind: "map", fn: steps.selectFields },
      { kind: "map", fn: steps.toJson },
      { kind: "map", fn: steps.toLine },
      ...passes.map((fn) => ({ kind: "map", fn }) as const),
    ],
    linesRead: () => linesRead,
  };
}
