import { nextTurn } from "./activity.ts";

/** Starts another run, whose source stands still after these chunks. */
export function startOther(
  chunks: readonly unknown[],
  run: (source: ReadableStream<unknown>, signal: AbortSignal) => Promise<unknown>,
): { stop(): Promise<void> } {
  const controller = new AbortController();
  const left = [...chunks];
  const source = new ReadableStream<unknown>({
    pull(controller) {
      if (left.length === 0) return new Promise(() => {});
      controller.enqueue(left.shift());
    },
  }, { highWaterMark: 0 });
  const work = run(source, controller.signal).catch(() => {});
  return {
    async stop() {
      controller.abort(new Error("the other run is over"));
      await Promise.race([work, nextTurn()]);
    },
  };
}
