import type { Schedule } from "./schedule.ts";

/** Schedules of one size, and with how many deviations they are tried. */
export interface Section {
  readonly way: Schedule["way"];
  readonly stages: number;
  readonly chunks: number;
  readonly deviations: number;
}

/** What the whole enumeration tries. */
export const sections: readonly Section[] = [
  { way: "fuse", stages: 1, chunks: 2, deviations: 3 },
  { way: "fuse", stages: 2, chunks: 3, deviations: 2 },
  { way: "fuse", stages: 3, chunks: 2, deviations: 2 },
  { way: "pipeline", stages: 0, chunks: 2, deviations: 3 },
  { way: "pipeline", stages: 1, chunks: 2, deviations: 3 },
  { way: "pipeline", stages: 2, chunks: 3, deviations: 2 },
  { way: "pipeline", stages: 3, chunks: 2, deviations: 2 },
];
