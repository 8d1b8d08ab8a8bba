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
