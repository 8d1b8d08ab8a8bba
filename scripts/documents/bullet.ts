import { wrapProse } from "./wrap_prose.ts";

/** One item of a list, wrapped as `deno fmt` does. */
export function bullet(text: string): string {
  return `- ${wrapProse(text, 98).replaceAll("\n", "\n  ")}`;
}
