import { type Probe, probe } from "@hosepipe/streams";
import { makeAssertions } from "./assertions.ts";
import { formatValue } from "./format_value.ts";
import { instrument } from "./instrument.ts";
import type { CodeMessage, SeenPlace } from "./messages.ts";

/** The reader's code, as a function of what it may use. */
export type ReadersCode = (
  hosepipe: unknown,
  assertions: unknown,
  ...streams: readonly unknown[]
) => Promise<void>;

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

/** Each buffer by itself; what a stage has in hand keeps its place before it. */
function placesOf(look: Probe): SeenPlace[] {
  return look.buffers().map(({ stage, kind, count = 0, highWaterMark, desiredSize }) => {
    const isCounted = kind.endsWith("In") && desiredSize !== undefined &&
      Number.isFinite(desiredSize);
    const inHand = isCounted ? Math.max(0, highWaterMark! - count - desiredSize) : 0;
    return { stage, kind, waiting: count, inHand, highWaterMark };
  });
}

/** Runs the reader's code with a probe put in, and says what happens. */
export async function runCode(
  code: ReadersCode,
  lines: number,
  post: (message: CodeMessage) => void,
): Promise<void> {
  const placesAt = new Map<number, readonly SeenPlace[]>();
  const look: Probe = probe({
    capacity: keptEvents,
    onEvent({ seq }) {
      if (!hasBuffers()) return;
      placesAt.set(seq, placesOf(look));
      placesAt.delete(seq - keptEvents);
    },
  });
  const { hosepipe, streams, hasBuffers, kinds } = instrument(look);

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
      stages: look.bottleneck().stages.map(({ stage }) => ({
        name: stage,
        kind: kinds.get(stage)!,
      })),
      summary: look.bottleneck().summary,
      events: events.map((event) => ({ ...event, places: placesAt.get(event.seq) })),
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
    await code(hosepipe, makeAssertions(print("log")), ...streams);
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
