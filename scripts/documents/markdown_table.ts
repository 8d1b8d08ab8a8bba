/** Writes a table, its first column to the left and the others to the right, padded as `deno fmt` pads. */
export function markdownTable(
  head: readonly string[],
  body: readonly (readonly string[])[],
): string {
  const widths = head.map((title, column) =>
    Math.max(3, title.length, ...body.map((cells) => cells[column]!.length))
  );
  const line = (cells: readonly string[]) =>
    `| ${
      cells.map((text, column) =>
        column === 0 ? text.padEnd(widths[column]!) : text.padStart(widths[column]!)
      ).join(" | ")
    } |`;
  const rule = widths.map((width, column) =>
    column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`
  );
  return [line(head), `| ${rule.join(" | ")} |`, ...body.map(line)].join("\n");
}
