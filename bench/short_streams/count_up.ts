/** What a request's source gives: numbers, one after the other. */
export async function* countUp(count: number): AsyncGenerator<number, void, undefined> {
  for (let number = 0; number < count; number++) yield number;
}
