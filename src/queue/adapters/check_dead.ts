import { checkInteger, checkOptions, throwTypeError } from "../../errors.ts";
import type { DeadLetterListOptions } from "../dead_letter.ts";

/** Throws unless these are options of a list of dead letters; gives them with their defaults. */
export function checkDeadList(
  options: DeadLetterListOptions,
): { limit: number; after: string | undefined } {
  checkOptions("list", options, ["limit", "after"]);
  const { limit = 100, after } = options;
  checkInteger("list", "limit", limit, 1);
  if (after !== undefined && typeof after !== "string") {
    throwTypeError("list", "after", "text", after);
  }
  return { limit, after };
}

/** Throws unless these are ids of dead letters, or none are given; gives them as JSON, `null` for all. */
export function checkDeadIds(action: "replay" | "purge", ids: unknown): string | null {
  if (ids === undefined) return null;
  if (!Array.isArray(ids)) throwTypeError(action, "ids", "an array", ids);
  for (const [index, id] of (ids as unknown[]).entries()) {
    if (typeof id !== "string") throwTypeError(action, `ids[${index}]`, "text", id);
  }
  return JSON.stringify(ids);
}
