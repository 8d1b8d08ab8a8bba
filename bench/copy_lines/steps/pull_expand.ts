import type { Expander } from "./expander.ts";
import type { PullSource } from "../../peers/pull_source.ts";

/** Makes a step with memory a through of pull-stream that gives an array for each chunk and the end. */
export function pullExpand<In, Out>(
  { push, end }: Expander<In, Out>,
): (read: PullSource<In>) => PullSource<Out[]> {
  return (read) => {
    let ended: unknown = null;
    return (abort, callback) => {
      if (ended) return callback(ended);
      read(abort, (upstreamEnd, chunk) => {
        ended = upstreamEnd;
        if (upstreamEnd === true && !abort) callback(null, end());
        else if (upstreamEnd) callback(upstreamEnd);
        else callback(null, push(chunk!));
      });
    };
  };
}
