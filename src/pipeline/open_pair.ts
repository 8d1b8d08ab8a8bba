import { yieldTurn } from "../engine/turn_budget.ts";
import type { Pair } from "../pair.ts";
import { withJoinedWrites } from "./joined_writes.ts";
import { openSink, type PushSink } from "./sink.ts";

/** Opens the writable side of a pair that `checkPair` let pass. */
export function openPair(pair: Pair): PushSink {
  const sink = withJoinedWrites(pair, openSink(pair.writable));
  return {
    ...sink,
    // What reads from the pair says how it ended; an abort that is never answered, as Deno's may be, holds nothing up.
    abort: (reason) =>
      Promise.race([
        sink.abort(reason)!,
        new Promise<undefined>((resolve) => yieldTurn(() => resolve(undefined))),
      ]),
  };
}
