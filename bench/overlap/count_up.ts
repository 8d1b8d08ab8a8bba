/** Gives the numbers from 0 to `count - 1`. */
export function* countUp(count: number): Generator<number, void> {
  for (let number = 0; number < count; number++) yield number;
}
