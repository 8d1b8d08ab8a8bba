/** What is wrong with a value that should be a time, the same words for all like it. */
export function timeProblem(field: string, value: unknown): string {
  if (value === undefined) return `${field} is missing, so that it has no place in time`;
  if (value === null) return `${field} is null, so that it has no place in time`;
  if (value instanceof Date) return `${field} is a date out of range`;
  const kind = Array.isArray(value)
    ? "an array"
    : typeof value === "string"
    ? "text"
    : typeof value === "object"
    ? "an object"
    : "a number";
  return `${field} is ${kind}, not a date`;
}
