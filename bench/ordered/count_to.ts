/** The numbers below `count`. */
export function* countTo(count: number): Generator<number, void, undefined> {
  for (let number = 0; number < count; number++) yield number;
}
