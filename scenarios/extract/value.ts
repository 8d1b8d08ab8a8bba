import type { JsonText } from "./json_text.ts";
import type { TextBytes } from "./text_bytes.ts";

/** A value as sources give it: `undefined` is a field that is not there, bytes are binary. */
export type Value =
  | null
  | undefined
  | string
  | number
  | bigint
  | boolean
  | Uint8Array
  | JsonText
  | TextBytes;
