/** The shape of what is written here; another is not read. */
export const checkpointVersion = 1;

/** What a run that is killed leaves, so that another can go on. */
export interface Checkpoint {
  readonly version: number;
  /** The name of the draft, in the same folder. */
  readonly draft: string;
  /** What was asked for, by the names of the flags. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly columns: readonly string[];
  /** The columns that rows are ordered by. */
  readonly key: readonly string[];
  /** The key of the last row that is safe, as the source has it; none: no row is. */
  readonly last?: readonly string[];
  readonly rows: number;
  /** How much of the draft is safe. */
  readonly bytes: number;
}
