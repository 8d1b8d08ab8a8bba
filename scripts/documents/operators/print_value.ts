/** A chunk in few letters: a line feed is ↵, an array is its items, bytes are numbers. */
export function printValue(value: unknown): string {
  if (value === "") return "''";
  if (typeof value === "string") return value.replaceAll("\n", "↵");
  if (value instanceof Uint8Array) return `<${value.join(" ")}>`;
  if (Array.isArray(value)) return `[${value.map(printValue).join(" ")}]`;
  if (value !== null && typeof value === "object") {
    return `{${
      Object.entries(value).map(([key, one]) => `${key}: ${printValue(one)}`).join(", ")
    }}`;
  }
  return String(value);
}
