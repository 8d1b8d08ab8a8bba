/** The streams of one stage instance that have something to stop when they are cancelled. */
export interface BusyStreams<State> {
  /** The states of those streams; a stage adds and deletes them as work begins and ends. */
  readonly states: Set<State>;
  /** To be called by `start`. */
  started(): void;
  /** To be called by `flush`. */
  finished(): void;
  /** To be called by `cancel`: the only state it can mean, or none where several streams are open. */
  cancelled(): State | undefined;
}

/**
 * Finds out whose `cancel` it is, since the standard tells it no controller. While one instance serves
 * several streams this cannot be known; then nobody is stopped wrongly, and the stream that was meant
 * learns of it from its next `enqueue`, which throws.
 */
export function busyStreams<State>(): BusyStreams<State> {
  // A stream that fails says so to nobody: the count may only be too high, which is the safe side.
  let open = 0;
  const states = new Set<State>();
  return {
    states,
    started: () => void open++,
    finished: () => void open--,
    cancelled: () => --open === 0 ? states.values().next().value : undefined,
  };
}
