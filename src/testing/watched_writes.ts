import { noteActivity } from "./activity.ts";
import type { WatchedWrites } from "./end_law_types.ts";
import { type HeldWatch, noteCall } from "./held_run.ts";
import type { SinkProgram } from "./sink_law_types.ts";
import { waitTurns } from "./wait_turns.ts";

/** Nothing noted yet. */
export const newNoted = () => ({
  chunks: [] as unknown[],
  aborts: [] as unknown[],
  closes: 0,
  begun: 0,
  begunAtFailure: undefined as number | undefined,
  overlap: undefined as string | undefined,
});

/** What a sink's run has noted. */
export type NotedWrites = ReturnType<typeof newNoted>;

/** What a sink under test stands on. */
export function watchedWrites(
  { stop, at = 0, reason, slow }: SinkProgram,
  run: NotedWrites,
  watch: HeldWatch,
  hung: Promise<void>,
): WatchedWrites {
  let isBusy = false;
  const note = (call: string) => {
    noteCall(watch, `underlying.${call}`);
    if (isBusy && call !== "abort") run.overlap ??= `${call} was called before a write had settled`;
  };
  return {
    async write(chunk) {
      note("write");
      const n = run.begun++;
      isBusy = true;
      try {
        if (slow === "underlying") await waitTurns(10);
        if (stop === "write hangs" && n >= at) await hung;
        if (stop === "write fails" && n >= at) {
          run.begunAtFailure ??= run.begun;
          throw reason;
        }
      } finally {
        isBusy = false;
      }
      noteActivity();
      run.chunks.push(chunk);
    },
    async close() {
      note("close");
      run.closes++;
      if (slow === "underlying") await waitTurns(10);
      if (stop === "close fails") throw reason;
    },
    abort(reason) {
      note("abort");
      run.aborts.push(reason);
      return Promise.resolve();
    },
  };
}
