/** The first `count` numbers, from 0. */
export function range(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n);
}
