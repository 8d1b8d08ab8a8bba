import { wrapProse } from "../../scenarios/command_line/parse_command_line.ts";

/** Markup that is safe as it stands. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** What may be put into markup; everything but {@linkcode Html} is escaped, and lists are joined. */
export type HtmlValue = Html | string | number | undefined | readonly HtmlValue[];

const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for element content and quoted attributes, of HTML and of SVG. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]!);
}

function toText(value: HtmlValue): string {
  if (value instanceof Html) return value.text;
  if (value === undefined) return "";
  return typeof value === "object" ? value.map(toText).join("") : escapeHtml(String(value));
}

/** A template tag for markup: what is put in is escaped unless it is markup itself. */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(
    strings.map((text, index) => text + (index < values.length ? toText(values[index]) : ""))
      .join(""),
  );
}

/** What a document says of a workload that the results have no row of. */
export function notMeasured(workload: string): string {
  return `Not measured in these results: \`deno task bench --workload ${workload}\` does.`;
}

/** One item of a list, wrapped as `deno fmt` does; `depth` lists lie around its own. */
export function bullet(text: string, depth = 0): string {
  const indent = "  ".repeat(depth);
  const lines = wrapProse(text, 98 - indent.length).replaceAll("\n", `\n${indent}  `);
  return `${indent}- ${lines}`;
}

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
