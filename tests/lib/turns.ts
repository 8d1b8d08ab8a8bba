/** Gives the event loop some turns, each with its timers. */
export async function turns(count: number = 6): Promise<void> {
  while (count-- > 0) await new Promise((resolve) => setTimeout(resolve, 1));
}
