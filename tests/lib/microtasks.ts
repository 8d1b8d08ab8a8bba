/** Waits for some microtasks. */
export async function microtasks(count: number): Promise<void> {
  while (count-- > 0) await undefined;
}
