import { Buffer } from "node:buffer";
import { nameRow } from "../../scenarios/extract/name_row.ts";
import type { Checkpoint } from "../../scenarios/extract/resume/checkpoint.ts";

/** The text of a key as people know it. */
function shownKey(text: string): string {
  const hex = /^\+CAST\(x'([\dA-F]*)' AS TEXT\)$/.exec(text)?.[1];
  if (hex !== undefined) return Buffer.from(hex, "hex").toString();
  return /^\{"id":(.*)\}$/s.exec(text)?.[1] ?? text;
}

/** Names the last row that is safe. */
export function describeKey({ key, last }: Pick<Checkpoint, "key" | "last">): string {
  return nameRow(key.map((title) => ({ title })), last!.map(shownKey));
}
