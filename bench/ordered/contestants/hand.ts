import type { RunOrdered } from "../job.ts";

/** As many promises as the window holds, of which the oldest is waited for. */
export const hand: RunOrdered = async ({ count, concurrency, window, work, take }) => {
  const results: Promise<number>[] = [];
  let [inFlight, next] = [0, 0];
  const begin = (): void => {
    while (next < count && inFlight < concurrency && next - taken < window) {
      inFlight++;
      results[next] = work(next++);
      void results[next - 1]!.then(() => {
        inFlight--;
        begin();
      });
    }
  };
  let taken = 0;
  begin();
  while (taken < count) {
    take(await results[taken]!);
    delete results[taken++];
    begin();
  }
};
