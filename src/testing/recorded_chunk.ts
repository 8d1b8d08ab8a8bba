import { decodeBase64, encodeBase64 } from "../base64.ts";
import { describeValue } from "../errors.ts";
import { isBytes } from "../is_bytes.ts";
import { isEqual } from "./is_equal.ts";

/** A chunk as a recording has it: as JSON, as bytes in base64, as what `encode` made of it, or why it is not there. */
export interface RecordedChunk {
  readonly json?: unknown;
  readonly base64?: string;
  readonly encoded?: unknown;
  readonly isUndefined?: true;
  readonly lost?: string;
}

/** Writes a chunk down; never fails, since the run that is recorded goes on. */
export function recordChunk(
  chunk: unknown,
  redact: ((chunk: never) => unknown) | undefined,
  encode: ((chunk: never) => unknown) | undefined,
): RecordedChunk {
  let calls = "redact";
  try {
    const shown = redact === undefined ? chunk : redact(chunk as never);
    calls = "encode";
    if (encode !== undefined) return { encoded: copyOf(encode(shown as never)) };
    if (shown === undefined) return { isUndefined: true };
    if (isBytes(shown)) return { base64: encodeBase64(shown) };
    const json = copyOf(shown);
    return isEqual(json, shown) ? { json } : { lost: `${describeValue(shown)} that is no JSON` };
  } catch {
    // What the error says may be what should not be shown.
    return {
      lost: redact === undefined && encode === undefined ? describeValue(chunk) : `${calls} failed`,
    };
  }
}

/** What JSON makes of it now: the chunk may change later. */
function copyOf(value: unknown): unknown {
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError("no JSON");
  return JSON.parse(text);
}

/** The chunk of a recording; `place` is counted from 1. */
export function replayChunk(
  recorded: RecordedChunk,
  place: number,
  decode: ((value: never) => unknown) | undefined,
): unknown {
  if (recorded.lost !== undefined) {
    throw new TypeError(`Cannot replay: chunk ${place} was not recorded: ${recorded.lost}`);
  }
  if (Object.hasOwn(recorded, "encoded")) {
    if (decode === undefined) {
      throw new TypeError(`Cannot replay: chunk ${place} was encoded, so that decode is needed`);
    }
    return decode(recorded.encoded as never);
  }
  if (recorded.isUndefined) return undefined;
  if (recorded.base64 === undefined) return recorded.json;
  return decodeBase64(recorded.base64);
}
