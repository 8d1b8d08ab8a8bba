import { fuse, hub, type HubBranch, interval, lines, stage } from "@hosepipe/streams";
import { sseResponse } from "@hosepipe/streams/formats";
import { follow, type LogTailer } from "./_log_tailer.ts";

/** Follows a log for clients that come and go: one reads the file for all. */
export const followLog: LogTailer = (path, { files, pollMs, replay, highWaterMark }) => {
  const appended = stage((ticks: AsyncIterable<number>) => follow(ticks, path, files));
  const log = hub(interval(pollMs).pipeThrough(fuse(appended, lines())), {
    ...{ replay, highWaterMark, overflow: "dropOldest", runAlone: true },
  });
  const branches = new Set<HubBranch<string>>();
  return {
    answer() {
      const branch = log.join();
      branches.add(branch);
      return sseResponse(branch, { keepAliveMs: Infinity });
    },
    dropped: () => [...branches].reduce((sum, { dropped }) => sum + dropped, 0),
    clientCount: () => log.branchCount,
    stop: () => log.cancel("stopped"),
  };
};
