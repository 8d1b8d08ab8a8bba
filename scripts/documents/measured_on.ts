import type { Measured } from "../rows/measured.ts";

/** Where and when rows were measured, and of which code, as the end of a sentence. */
export function measuredOn({ machine, commit, startedAt }: Measured): string {
  return `${machine.cpu}, ${machine.cores} cores, ${machine.os}, ${startedAt.slice(0, 10)}, ` +
    `commit ${commit?.slice(0, 7) ?? "unknown"}`;
}
