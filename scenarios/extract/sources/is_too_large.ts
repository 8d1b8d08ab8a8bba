import type { Value } from "../value.ts";
import { valueBytes } from "../value_bytes.ts";

/** Whether a value has more bytes than it may; texts are counted only where it is close. */
export function isTooLarge(value: Value, maxValueBytes: number): boolean {
  const least = valueBytes(value);
  if (least > maxValueBytes) return true;
  if (typeof value !== "string" || least * 3 <= maxValueBytes) return false;
  return new TextEncoder().encode(value).length > maxValueBytes;
}
