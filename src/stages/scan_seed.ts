/** A seed that is made for each stream. */
export interface ScanSeed<State> {
  /** Makes the state before the first chunk. */
  readonly seed: () => State;
}

/** The state before the first chunk: the seed, or what it makes. */
export function toState<State>(seed: State | ScanSeed<State>): State {
  return isMaker(seed) ? seed.seed() : seed;
}

function isMaker<State>(seed: State | ScanSeed<State>): seed is ScanSeed<State> {
  if (seed === null || typeof seed !== "object") return false;
  return typeof (seed as ScanSeed<State>).seed === "function" && Object.keys(seed).length === 1;
}
