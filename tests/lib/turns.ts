// Browsers have no turns without time.
const nextTurn = (go: (value: unknown) => void): unknown =>
  typeof setImmediate === "function" ? setImmediate(go) : setTimeout(go, 1);

/** Gives the event loop some turns, then the timers that are due theirs, and as many turns again. */
export async function turns(count: number = 6): Promise<void> {
  if (count === 0) return;
  const turn = () => new Promise((resolve) => nextTurn(resolve));
  for (let left = count; left > 0; left--) await turn();
  await new Promise((resolve) => setTimeout(resolve, 1));
  for (let left = count; left > 0; left--) await turn();
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
