import { describeValue } from "../errors.ts";
import { findSource, type FoundSource } from "../source/find_source.ts";

/** Finds how the source of a pipeline is opened, and touches nothing; throws unless it can be. */
export function checkPipelineSource(action: string, source: unknown): FoundSource {
  const found = findSource(action, source, "source");
  if (found !== undefined) return found;
  throw new TypeError(
    `Cannot ${action}: source must be a ReadableStream, an iterable or an async iterable, ` +
      `got ${adviceFor(source)}`,
  );
}

function adviceFor(source: unknown): string {
  if (typeof source === "function") {
    return "a function; call it if it is a generator, or use reader(fn)";
  }
  if (source !== null && typeof source === "object") {
    if (typeof (source as { then?: unknown }).then === "function") return "a promise; await it";
    if (source instanceof URL) return "a URL; pass await fetch(url)";
  }
  return describeValue(source);
}
