import type { Duplex, Readable, Writable } from "node:stream";
import { problemOf } from "../src/engine/plan_stages.ts";
import { throwTypeError } from "../src/errors.ts";
import { findSource } from "../src/source/find_source.ts";
import { hasEndedEarly } from "./early_end.ts";

/** Any node stream. */
export type NodeStream = Readable | Writable | Duplex;

const action = "run pipeline";

/** Tells whether `value` is a node stream. */
export function isNodeStream(value: unknown): value is NodeStream {
  const { on, pipe, write } = Object(value) as Partial<Duplex>;
  return typeof on === "function" && (typeof pipe === "function" || typeof write === "function");
}

function isWritable(stream: NodeStream): boolean {
  return typeof (stream as Partial<Duplex>).write === "function";
}

/** What is old enough to have no `read` is readable unless it is a `Writable`, which has a `pipe` that fails. */
function isReadable(stream: NodeStream): boolean {
  return typeof (stream as Partial<Duplex>).read === "function" || !isWritable(stream);
}

/** Whether what is piped into `part` would be lost, without an event that says so. */
function hasEnded(part: unknown): boolean {
  const { writableEnded, destroyed } = Object(part) as Partial<Writable>;
  // A stage such as `take(0)` ends before it begins.
  return writableEnded === true && (destroyed || !hasEndedEarly(part as object));
}

function isWebStream(value: unknown): boolean {
  const { getReader, getWriter, readable } = Object(value);
  return typeof (getReader ?? getWriter ?? readable?.getReader) === "function";
}

/** What is wrong with a stage, and what to do about it; nothing if it can stand between two others. */
function problemHere(stage: unknown): string | undefined {
  if (isWebStream(stage)) return "a Web stream; use toNode(stream)";
  if (!isNodeStream(stage)) return problemOf(stage);
  if (!isReadable(stage)) return "a Writable; only the last part is a sink";
  return isWritable(stage) ? undefined : "a Readable; only the first part is a source";
}

/** Throws unless each part can stand where it does; touches none: "Cannot run pipeline: stage 1 is …". */
export function checkParts(parts: readonly unknown[]): void {
  if (parts.length < 2) {
    throw new TypeError(`Cannot ${action}: it takes a source and a sink at least`);
  }
  const [source, sink] = [parts[0], parts.at(-1)];
  const isSource = isNodeStream(source)
    ? isReadable(source)
    : typeof source === "function" || findSource(action, source, "source") !== undefined;
  if (!isSource) {
    throwTypeError(action, "source", "a node Readable or what reader() reads", source);
  }
  for (const [index, stage] of parts.slice(1, -1).entries()) {
    const problem = problemHere(stage);
    if (problem === undefined) continue;
    throw new TypeError(`Cannot ${action}: stage ${index + 1} is ${problem}`);
  }
  if (isWebStream(sink)) {
    throw new TypeError(`Cannot ${action}: sink is a Web stream; use toNode(stream)`);
  }
  if (isNodeStream(sink) ? !isWritable(sink) : typeof sink !== "function") {
    throwTypeError(action, "sink", "a node Writable or a function", sink);
  }
  const ended = parts.findIndex((part, index) => index > 0 && hasEnded(part));
  if (ended > 0) {
    const name = ended === parts.length - 1 ? "sink" : `stage ${ended}`;
    throw new TypeError(`Cannot ${action}: ${name} has ended and takes no more`);
  }
  const streams = parts.filter(isNodeStream);
  if (new Set(streams).size < streams.length) {
    throw new TypeError(`Cannot ${action}: a stream stands in it twice`);
  }
}
