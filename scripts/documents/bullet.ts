import { wrapProse } from "../../scenarios/command_line/wrap_prose.ts";

/** One item of a list, wrapped as `deno fmt` does; `depth` lists lie around its own. */
export function bullet(text: string, depth = 0): string {
  const indent = "  ".repeat(depth);
  const lines = wrapProse(text, 98 - indent.length).replaceAll("\n", `\n${indent}  `);
  return `${indent}- ${lines}`;
}
