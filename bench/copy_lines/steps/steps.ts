/** The two fields of a line that are kept; a missing one is `null`. */
export type FieldPair = readonly [string | null, string | null];

/** Removes white space from both ends of a line. */
export function trim(line: string): string {
  return line.trim();
}

/** Keeps lines that hold something. */
export function isNotEmpty(line: string): boolean {
  return line !== "";
}

/** Keeps lines that are data. */
export function isNotComment(line: string): boolean {
  return !line.startsWith("#");
}

/** Splits a line on tabs. */
export function splitFields(line: string): string[] {
  return line.split("\t");
}

/** Selects fields 1 and 2, counting from 0. */
export function selectFields(fields: readonly string[]): FieldPair {
  return [fields[1] ?? null, fields[2] ?? null];
}

/** Serialises a pair of fields. */
export function toJson(fields: FieldPair): string {
  return JSON.stringify(fields);
}

/** Ends a text with a line feed. */
export function toLine(text: string): string {
  return text + "\n";
}
