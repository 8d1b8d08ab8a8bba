import type { LineSink } from "./open_line_sink.ts";
import type { PullCallback } from "../../peers/pull_source.ts";

/** Makes a line sink what `pull.asyncMap()` takes. */
export function pullWrite(
  sink: LineSink,
): (line: string, callback: PullCallback<void>) => void {
  return (line, callback) => {
    const written = sink.write(line);
    if (written) written.then(() => callback(null), callback);
    else callback(null);
  };
}
