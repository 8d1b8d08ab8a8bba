/** What is left after many runs. */
export interface LeakResult {
  readonly count: number;
  /** Bytes of the heap in use before, and after each quarter of the runs. */
  readonly heap: readonly number[];
  /** Listeners that are left on the one signal, if there is one. */
  readonly listeners: number;
}
