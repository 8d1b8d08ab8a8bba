/** A condition of MongoDB: a field holds no time, or several. */
export function isTimeMissing(field: string): Record<string, unknown> {
  return { $or: [{ [field]: { $not: { $type: "date" } } }, { [field]: { $type: "array" } }] };
}
