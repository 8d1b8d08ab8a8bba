/** Where a schedule leaves the plain run, and how. */
export interface Deviation {
  /** A call of a method, such as `transform 0.1` (stage, call), or a place between steps, such as `slot 3`. */
  readonly at: string;
  /** What a method does, or which step comes in between; `nothing` of either keeps the places of the others. */
  readonly does: string;
}

/** A place of a run where it may deviate, and how it may. */
export interface Choice {
  readonly at: string;
  readonly options: readonly string[];
}

/** So many microtasks before a step that follows another in its turn. */
export interface Pause {
  readonly microtasks: number;
  /** The number of the step, from 0; default: before each. */
  readonly step?: number;
}

/** What is run: a plain run of so many stages and chunks, with deviations from it. */
export interface Schedule {
  readonly way: "fuse" | "pipeline";
  readonly stages: number;
  readonly chunks: number;
  /** `fuse`: of its writable side; `pipeline`: of the source. */
  readonly firstMark: number;
  /** `fuse`: of its readable side; `pipeline`: of the sink. */
  readonly lastMark: number;
  /**
   * `turns`: each step in a turn of its own; `burst`: all in one. For `pipeline` whether the source is asked for
   * chunks (`pull`) or gives them from outside (`push`).
   */
  readonly plain: "turns" | "burst" | "pull" | "push";
  readonly deviations: readonly Deviation[];
  /** Where there are microtasks between the steps of a turn; default: nowhere. */
  readonly pause?: Pause;
}

const marks = [0, 1, 2];

/** The plain runs of a way: those without deviations. */
export function plainSchedules(
  way: Schedule["way"],
  stages: number,
  chunks: number,
): Schedule[] {
  const plains = way === "fuse" ? ["turns", "burst"] as const : ["pull", "push"] as const;
  return plains.flatMap((plain) =>
    marks.flatMap((firstMark) =>
      marks.map((lastMark) => ({ way, stages, chunks, firstMark, lastMark, plain, deviations: [] }))
    )
  );
}

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
