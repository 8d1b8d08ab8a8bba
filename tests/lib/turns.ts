/** Gives the event loop some turns, each with its timers. */
export async function turns(count: number = 6): Promise<void> {
  while (count-- > 0) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** How often the event loop has had its turn while `run` went on, by tasks that follow each other. */
export async function turnsDuring(run: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await run();
  isOver = true;
  return turns;
}
