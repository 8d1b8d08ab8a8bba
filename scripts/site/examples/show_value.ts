const width = 80;

function quote(text: string): string {
  const quoted = JSON.stringify(text);
  if (!text.includes('"') || text.includes("'")) return quoted;
  return `'${quoted.slice(1, -1).replaceAll('\\"', '"')}'`;
}

/** On one line, or each part on its own if that would be too long. */
function wrap(open: string, parts: readonly string[], close: string): string {
  if (parts.length === 0) return open + close;
  const gap = open.endsWith("{") ? " " : "";
  const line = `${open}${gap}${parts.join(", ")}${gap}${close}`;
  if (line.length <= width && !line.includes("\n")) return line;
  return `${open}\n${
    parts.map((part) => `  ${part.replaceAll("\n", "\n  ")},\n`).join("")
  }${close}`;
}

/** A value as it would stand in code. */
export function showValue(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value instanceof Map) {
    const pairs = [...value].map(([key, one]) => `${showValue(key)} => ${showValue(one)}`);
    return wrap("Map {", pairs, "}");
  }
  if (value instanceof Uint8Array) return wrap("Uint8Array [", [...value].map(String), "]");
  if (Array.isArray(value)) return wrap("[", value.map(showValue), "]");
  return wrap("{", Object.entries(value).map(([key, one]) => `${key}: ${showValue(one)}`), "}");
}
