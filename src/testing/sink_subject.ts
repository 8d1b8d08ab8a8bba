import { throwTypeError } from "../errors.ts";
import type { CheckedSink } from "./end_law_types.ts";
import { watchMembers } from "./watch_members.ts";

// deno-lint-ignore no-explicit-any -- sinks of any chunks
type Any = any;

/** What a sink can be. */
export type SinkKind = "stream" | "dictionary" | "function";

/** Where the methods of an underlying sink have their controller. */
const controllerPlaces = { start: 0, write: 1, close: -1, abort: -1 };

/** What a sink is; throws if it is none. */
export function kindOfSink(sink: CheckedSink): SinkKind {
  if (typeof sink === "function") return "function";
  if (sink === null || typeof sink !== "object") {
    throwTypeError("check sink", "sink", "a stream, an underlying sink or a function", sink);
  }
  return typeof (sink as Partial<WritableStream>).getWriter === "function"
    ? "stream"
    : "dictionary";
}

/** The sink as it is written to: an underlying sink becomes a stream, with an eye on what it does. */
export function openWatchedSink(made: CheckedSink, note: (call: string) => void) {
  return kindOfSink(made) === "dictionary"
    ? new WritableStream(watchMembers(made, controllerPlaces, note) as Any)
    : made as WritableStream | ((chunk: unknown) => unknown);
}
