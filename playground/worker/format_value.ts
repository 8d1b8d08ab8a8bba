/** What colours the text of an assertion in a terminal. */
// deno-lint-ignore no-control-regex -- they begin with one
const colours = /\u001b\[\d+m/g;

/** A value as a console would print it, in short. */
export function formatValue(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "bigint") return `${value}n`;
  if (value instanceof Error) return `${value.name}: ${value.message.replace(colours, "")}`;
  if (typeof value === "function") return `[function ${value.name || "anonymous"}]`;
  if (ArrayBuffer.isView(value)) return `${value.constructor.name}(${value.byteLength} bytes)`;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // A circle, or a getter that throws.
    return Object.prototype.toString.call(value);
  }
}
