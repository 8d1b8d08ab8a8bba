import type { DeadLetter, LoadRecord } from "./load_record.ts";

/** Makes a dead letter of a row. */
export function letterOf({ line, names, fields }: LoadRecord, reason: string): DeadLetter {
  const entries = names.map((name, at) => {
    const field = fields[at];
    return [name, typeof field === "string" ? field : field?.text ?? null];
  });
  return { line, reason, row: Object.fromEntries(entries) };
}
