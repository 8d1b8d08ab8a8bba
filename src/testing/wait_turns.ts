import { nextTurn } from "./activity.ts";

/** Lets so many turns of the event loop pass. */
export async function waitTurns(turns: number): Promise<void> {
  while (turns-- > 0) await nextTurn();
}
