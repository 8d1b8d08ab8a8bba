import { readFile } from "node:fs/promises";

/** The page with the table. */
export const recipes = new URL("../../docs/recipes.md", import.meta.url);

interface Row {
  readonly about: string;
  readonly before: string;
  readonly after: string;
  readonly uses: readonly string[];
}

const byHand = (about: string, name: string, ...uses: string[]): Row => ({
  ...{ about, before: `${name}_by_hand.ts`, after: `${name}.ts`, uses },
});
const with_ = (library: string, name: string): Row => ({
  about: `orders, from ${library}`,
  before: `orders_with_${name}.ts`,
  after: "orders.ts",
  uses: ["parallel", "distinct", "reduce"],
});

/** What is compared with what: programs by hand, with the stages that were there before, and those of other libraries. */
export const rows: readonly Row[] = [
  byHand("an API that streams rows", "rows_api", "peek", "encode"),
  byHand("an LLM client", "llm_client", "limitRate", "attempt", "async function*"),
  byHand("an import of rows by key", "rows_import", "attempt", "parallel with key"),
  byHand("a crawler", "crawler", "expand", "distinct", "limitRate"),
  byHand("a log tailer", "log_tailer", "hub", "interval", "async function*"),
  with_("RxJS", "rxjs"),
  with_("streaming-iterables", "streaming_iterables"),
  with_("node:stream", "node_streams"),
];

/** Lines of code: neither blank ones, comments nor imports. */
export function countLines(code: string): number {
  const bare = code.replace(/^import [^]*?;\n/gm, "").replace(/^\s*\/\*\*[^]*?\*\/\n/gm, "");
  return bare.split("\n").filter((line) => !/^\s*(?:\/\/.*)?$/.test(line)).length;
}

function tableOf(head: readonly string[], body: readonly (readonly string[])[]): string {
  const isNumber = (column: number) => column === 1 || column === 2;
  const widths = head.map((_, at) => Math.max(...[head, ...body].map((row) => row[at]!.length)));
  const line = (cells: readonly string[]) =>
    `| ${
      cells.map((cell, at) => isNumber(at) ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!))
        .join(" | ")
    } |`;
  const rule = widths.map((width, at) =>
    isNumber(at) ? `${"-".repeat(width - 1)}:` : "-".repeat(width)
  );
  return [line(head), line(rule), ...body.map(line)].join("\n");
}

/** The page with the table as the programs are now. */
export async function withTable(text: string): Promise<string> {
  const linesOf = async (name: string) =>
    countLines(await readFile(new URL(name, import.meta.url), "utf8"));
  const linked = (name: string, label: string | number) => `[${label}](../tests/programs/${name})`;
  const body = await Promise.all(rows.map(async ({ about, before, after, uses }) => [
    about,
    linked(before, await linesOf(before)),
    linked(after, await linesOf(after)),
    uses.map((name) => `\`${name}\``).join(", "),
  ]));
  const table = tableOf(["program", "lines before", "lines now", "with"], body);
  const block = /(<!-- programs -->\n)[^]*(\n<!-- \/programs -->)/;
  if (!block.test(text)) throw new Error("docs/recipes.md has no place for the table");
  return text.replace(block, (_, from, to) => `${from}\n${table}\n${to}`);
}
