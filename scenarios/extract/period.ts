/** A span of time: `fromMs` is in it, `toMs` is not. Milliseconds since the epoch. */
export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}
