import type { StreamOf } from "./web_types.ts";

/** What has a body that can be read as a stream: a `Response` or a `Request`. */
export interface WithBody<T> {
  /** Its stream; `null` if it has none. */
  readonly body: StreamOf<T> | null;
  /** Whether the body has been read from. */
  readonly bodyUsed: boolean;
}

/** What gives a stream of its bytes: a `Blob` or a `File`. */
export interface WithStream<T> {
  /** How many bytes it has. */
  readonly size: number;
  /** Makes a stream of its bytes. */
  stream(): StreamOf<T>;
}

/** Tells whether `value` is a `Response` or a `Request`, of whatever realm. */
export function isWithBody(value: object): value is WithBody<unknown> {
  return "bodyUsed" in value && typeof value.bodyUsed === "boolean" && "body" in value;
}

/** Tells whether `value` is a `Blob`, of whatever realm. */
export function isWithStream(value: object): value is WithStream<unknown> {
  return "stream" in value && typeof value.stream === "function" &&
    "size" in value && typeof value.size === "number";
}

/** Tells whether `value` is a `Blob`, a `Response` or a `Request`. */
export function hasBody(value: unknown): value is WithBody<unknown> | WithStream<unknown> {
  if (value === null || typeof value !== "object") return false;
  return isWithBody(value) || isWithStream(value);
}

/** Gives the stream of a `Blob`, a `Response` or a `Request`, and anything that is none of them as it is. */
export function bodyOf(source: unknown): unknown {
  if (source === null || typeof source !== "object" || "getReader" in source) return source;
  if (isWithBody(source)) return source.body ?? [];
  return isWithStream(source) ? source.stream() : source;
}
