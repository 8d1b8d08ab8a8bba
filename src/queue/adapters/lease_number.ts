/** A number that no other lease has, and that a row has room for. */
export function newLeaseNumber(): number {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (high! & 0xffff) * 2 ** 32 + low!;
}
