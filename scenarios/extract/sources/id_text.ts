import { BSON } from "mongodb";

/** An id as text that keeps its type. */
export function idText(id: unknown): string {
  return BSON.EJSON.stringify({ id }, { relaxed: false });
}
