/** Who is measured, by the names of `bench/native_marks`: both ends are workerd's own streams for all. */
export const workerdContestants = ["web", "pipeline", "fuse"] as const;

/** Stages that add a number. */
export const workerdStages = [1, 5, 20] as const;

/** The highWaterMark of every queue; 0: as the standard has it. */
export const workerdMarks = [0, 16] as const;

/** One case, over all rounds. */
export interface WorkerdRow {
  readonly contestant: typeof workerdContestants[number];
  readonly stages: number;
  readonly marks: number;
  /** Nanoseconds a chunk, seen from outside of workerd: one for each round. */
  readonly nsPerChunk: readonly number[];
}

/** What `bench/results/workerd.json` holds. */
export interface WorkerdFile {
  readonly version: string;
  readonly chunks: number;
  readonly rows: readonly WorkerdRow[];
}
