import { measure, serveTotals } from "./measure.ts";
import type { CodeMessage, MeasureMessage } from "./messages.ts";
import { type ReadersCode, runCode } from "./run_code.ts";

/** The reader's code stands before this script, in the same file, so that its lines are its own. */
const { readersCode, readersLines = 0, threadOfStages = false } = globalThis as {
  threadOfStages?: boolean;
  readersCode?: ReadersCode;
  readersLines?: number;
};

const post = (message: CodeMessage | MeasureMessage): void =>
  (globalThis as unknown as { postMessage(message: unknown): void }).postMessage(message);

if (threadOfStages) serveTotals();
else if (readersCode !== undefined) void runCode(readersCode, readersLines, post);
else {
  measure((way) => post({ type: "measured", way })).then(
    () => post({ type: "measuredAll" }),
    (reason) => post({ type: "failed", text: String(reason), line: undefined }),
  );
}
