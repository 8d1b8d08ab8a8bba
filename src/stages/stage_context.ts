/** What a function given to a stage gets last. */
export interface StageContext {
  /** Aborts with the reason when the stream is cancelled or aborted; made when it is first asked for. */
  readonly signal: AbortSignal;
}
