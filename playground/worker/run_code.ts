import { assert, assertEquals, assertMatch } from "@std/assert";
import * as streams from "@hosepipe/streams";
import * as inspect from "@hosepipe/streams/inspect";
import { nameOfPart } from "../../src/kernels/name_of_part.ts";
import type { SeenStage } from "../hose/hose_view.ts";
import type { CodeMessage, SeenPlace } from "./messages.ts";

const hosepipe = { ...streams, ...inspect };

type Any = (...args: unknown[]) => unknown;

/** What the reader's code is given in place of the library and of the streams it knows. */
interface Instrumented {
  /** Whether the pipeline has buffers: one run by `pipeline` has none. */
  hasBuffers(): boolean;
  /** What kind each stage is, by its name. */
  readonly kinds: ReadonlyMap<string, SeenStage["kind"]>;
  readonly hosepipe: Readonly<Record<string, unknown>>;
  readonly streams: readonly [
    ReadableStream: unknown,
    TransformStream: unknown,
    WritableStream: unknown,
  ];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** A plain transformer, and neither a pair of streams nor options. */
function isTransformer(value: unknown): boolean {
  return isObject(value) && !("readable" in value) && !("signal" in value) &&
    !("getWriter" in value) && !("write" in value);
}

/**
 * Puts a probe into all that makes a pipeline. One pipeline is looked at: the first source and the first sink there
 * are; what comes after them is left as it is.
 */
function instrument(look: inspect.Probe): Instrumented {
  let hasBuffers = true;
  const kinds = new Map<string, SeenStage["kind"]>();
  /** A name that no other stage has. */
  const nameOf = (kind: SeenStage["kind"], part: unknown): string => {
    const plain = nameOfPart(part, kind);
    let name = plain;
    for (let count = 2; kinds.has(name); count++) name = `${plain} ${count}`;
    return name;
  };
  /** Wraps a stage by `wrap`, with its name; what cannot be wrapped has none. */
  const put = (kind: SeenStage["kind"], part: unknown, options: object, wrap: Any): unknown => {
    const name = nameOf(kind, part);
    const wrapped = wrap(part, { ...options, name });
    kinds.set(name, kind);
    return wrapped;
  };
  const attempt = <T>(value: T, wrap: () => unknown): T => {
    try {
      return wrap() as T;
    } catch {
      // A second source or sink, or what is none: the library says what is wrong with it.
      return value;
    }
  };
  const reader = <T>(source: T, strategy?: QueuingStrategy): T =>
    attempt(source, () => put("reader", source, { strategy }, look.reader as Any));
  const sink = <T>(sink: T, strategy?: QueuingStrategy): T =>
    attempt(sink, () => put("writer", sink, { strategy }, look.writer as Any));
  const stage = <T>(value: T): T =>
    isTransformer(value)
      ? attempt(value, () => put("transformer", value, {}, look.transformer as Any))
      : value;
  /** Wraps the source and the stages of a call such as `toArray(source, map(f))`. */
  const gather = (call: Any): Any => (source, ...rest) => {
    hasBuffers = false;
    return call(reader(source), ...rest.map(stage));
  };

  const probed: Record<string, Any> = {
    pipeline(source, ...rest) {
      hasBuffers = false;
      const last = rest.at(-1);
      const hasOptions = isObject(last) && !("write" in last) && !("getWriter" in last) &&
        rest.length > 1;
      const options = hasOptions ? [rest.pop()] : [];
      const end = rest.pop();
      const stages = rest.map(stage);
      const call = hosepipe.pipeline as Any;
      return call(reader(source), ...stages, sink(end), ...options);
    },
    fuse: (...stages) => (hosepipe.fuse as Any)(...stages.map(stage)),
    reader: (source, ...rest) => (hosepipe.reader as Any)(reader(source), ...rest),
    writer: (write, options) => {
      const { highWaterMark } = (options ?? {}) as { highWaterMark?: number };
      const strategy = highWaterMark === undefined ? undefined : { highWaterMark };
      return (hosepipe.writer as Any)(sink(write, strategy), options);
    },
  };
  for (const name of ["first", "last", "toArray", "toBytes", "toJson", "toText"] as const) {
    probed[name] = gather(hosepipe[name] as Any);
  }

  // Its constructor has a type for each kind of source; what is wrapped is of the same kind.
  const AnyReadableStream = ReadableStream as unknown as {
    new (source: unknown, strategy: QueuingStrategy): ReadableStream;
  };
  class ProbedReadableStream extends AnyReadableStream {
    constructor(source: UnderlyingSource = {}, strategy: QueuingStrategy = {}) {
      super(reader(source, strategy), strategy);
    }
  }
  // A browser may not have it yet.
  if (!("from" in AnyReadableStream)) {
    const from = (source: unknown) => (probed.reader ?? hosepipe.reader as Any)(source);
    Object.defineProperty(ProbedReadableStream, "from", { value: from });
  }
  class ProbedTransformStream extends TransformStream {
    constructor(
      transformer: Transformer = {},
      writableStrategy: QueuingStrategy = {},
      readableStrategy: QueuingStrategy = {},
    ) {
      const strategies = { writableStrategy, readableStrategy };
      const wrap = () => put("transformer", transformer, strategies, look.transformer as Any);
      super(attempt(transformer, wrap as () => Transformer), writableStrategy, readableStrategy);
    }
  }
  class ProbedWritableStream extends WritableStream {
    constructor(underlying: UnderlyingSink = {}, strategy: QueuingStrategy = {}) {
      super(sink(underlying, strategy), strategy);
    }
  }
  return {
    hasBuffers: () => hasBuffers,
    kinds,
    hosepipe: { ...hosepipe, ...probed },
    streams: [ProbedReadableStream, ProbedTransformStream, ProbedWritableStream],
  };
}

/** What colours the text of an assertion in a terminal. */
// deno-lint-ignore no-control-regex -- they begin with one
const colours = /\u001b\[\d+m/g;

/** A value as a console would print it, in short. */
function formatValue(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "bigint") return `${value}n`;
  if (value instanceof Error) return `${value.name}: ${value.message.replace(colours, "")}`;
  if (typeof value === "function") return `[function ${value.name || "anonymous"}]`;
  if (ArrayBuffer.isView(value)) return `${value.constructor.name}(${value.byteLength} bytes)`;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // A circle, or a getter that throws.
    return Object.prototype.toString.call(value);
  }
}

type Assertion = (actual: unknown, ...rest: unknown[]) => unknown;
type Expected = RegExp | (new (...args: never[]) => unknown);

function checkReason(reason: unknown, expected: Expected | undefined): unknown {
  if (expected instanceof RegExp) assertMatch(String(reason), expected);
  else if (expected !== undefined) assert(reason instanceof expected, String(reason));
  return reason;
}

/** What of `node:assert/strict` examples use. */
const all: Readonly<Record<string, Assertion>> = {
  ok: (value) => assert(value),
  deepEqual: (actual, expected) => assertEquals(actual, expected),
  match: (text, pattern) => assertMatch(text as string, pattern as RegExp),
  throws(call, expected) {
    try {
      (call as () => void)();
    } catch (reason) {
      return checkReason(reason, expected as Expected | undefined);
    }
    throw new Error("Missing expected exception");
  },
  async rejects(call, expected) {
    const run = typeof call === "function" ? call() : call;
    const [{ status, reason }] = await Promise.allSettled([run]) as [PromiseRejectedResult];
    if ((status as string) === "fulfilled") throw new Error("Missing expected rejection");
    return checkReason(reason, expected as Expected | undefined);
  },
};

/** The assertions that examples use; each prints what it found to be right. */
function makeAssertions(print: (text: string) => void): unknown {
  const telling = (name: string, check: Assertion): Assertion => (actual, ...rest) => {
    const outcome = check(actual, ...rest);
    const say = (value: unknown) => print(`✓ ${name}: ${formatValue(value)}`);
    if (outcome instanceof Promise) return outcome.then(say);
    say(name === "throws" ? outcome : actual);
  };
  const named = Object.entries(all).map(([name, check]) => [name, telling(name, check)] as const);
  return Object.assign(telling("assert", all.ok!), Object.fromEntries(named));
}

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
function placesOf(look: inspect.Probe): SeenPlace[] {
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
  const look: inspect.Probe = inspect.probe({
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
