import { probe } from "@hosepipe/streams";
import { formatValue } from "./format_value.ts";
import { instrument } from "./instrument.ts";
import type { CodeMessage } from "./messages.ts";

/** The reader's code, as a function of what it may use. */
export type ReadersCode = (hosepipe: unknown, ...streams: readonly unknown[]) => Promise<void>;

const keptEvents = 2000;
const stateEveryMs = 100;
const mostLines = 500;

/** In which line of the reader's code something failed: the first in its trace that is one. */
export function lineOf(reason: unknown, lines: number): number | undefined {
  const stack = String((reason as Error | undefined)?.stack ?? "");
  // Of the message, which comes first, no line is believed.
  const frames = stack.split("\n").filter((line) => /^\s*at |@/.test(line));
  for (const frame of frames) {
    const line = Number(/:(\d+):\d+\)?$/.exec(frame.trim())?.[1]);
    if (line >= 1 && line <= lines) return line;
  }
  return undefined;
}

/** Runs the reader's code with a probe put in, and says what happens. */
export async function runCode(
  code: ReadersCode,
  lines: number,
  post: (message: CodeMessage) => void,
): Promise<void> {
  const look = probe({ capacity: keptEvents });
  const { hosepipe, streams, hasBuffers } = instrument(look);

  let printed = 0;
  const print = (level: "log" | "error") => (...values: unknown[]) => {
    if (++printed > mostLines) return;
    const text = printed === mostLines
      ? `… more than ${mostLines} lines: the rest is not shown`
      : values.map(formatValue).join(" ");
    post({ type: "log", level, text });
  };
  Object.assign(console, {
    ...{ log: print("log"), info: print("log"), debug: print("log") },
    ...{ warn: print("error"), error: print("error") },
  });

  let lastSeq = 0;
  const postState = () => {
    const events = look.events().filter(({ seq }) => seq > lastSeq);
    lastSeq = events.at(-1)?.seq ?? lastSeq;
    post({
      type: "state",
      buffers: look.buffers().map(({ kind, highWaterMark }) => ({
        kind,
        highWaterMark: hasBuffers() ? highWaterMark : undefined,
      })),
      hasBuffers: hasBuffers(),
      summary: look.bottleneck().summary,
      events,
    });
  };
  const fail = (reason: unknown) => {
    postState();
    post({ type: "failed", text: formatValue(reason), line: lineOf(reason, lines) });
  };
  addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    fail((event as PromiseRejectionEvent).reason);
  });
  const timer = setInterval(postState, stateEveryMs);
  const startedAt = performance.now();
  try {
    await code(hosepipe, ...streams);
    // What is not handled is reported in the next turn.
    await new Promise((resolve) => setTimeout(resolve));
    postState();
    post({ type: "done", elapsedMs: performance.now() - startedAt });
  } catch (reason) {
    fail(reason);
  } finally {
    clearInterval(timer);
  }
}
