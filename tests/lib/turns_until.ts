import { turns } from "./turns.ts";

/** Gives the event loop turns until something is so, however few a busy machine has for it; what never is fails. */
export async function turnsUntil(isSo: () => boolean): Promise<void> {
  for (let turn = 0; !isSo(); turn++) {
    if (turn === 1_000) throw new Error("it did not come to that in 1,000 turns");
    await turns(1);
  }
}
