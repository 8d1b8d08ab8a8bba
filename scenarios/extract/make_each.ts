/** Gives what is made of each. */
export function* makeEach<From, Made>(
  all: Iterable<From>,
  make: (one: From) => Made,
): Generator<Made, void> {
  for (const one of all) yield make(one);
}
