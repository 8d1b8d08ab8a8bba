/** Gives numbers from 0, each `step` more than the last, until `endMs`. */
export function* countUntil(endMs: number, step = 1): Generator<number, void> {
  for (let number = 0; performance.now() < endMs; number += step) yield number;
}
