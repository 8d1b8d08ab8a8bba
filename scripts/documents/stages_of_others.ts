import { readFileSync } from "node:fs";

interface Found {
  readonly versions: Readonly<Record<string, string>>;
  readonly runtimes: Readonly<
    Record<string, {
      readonly version: string;
      readonly stages: readonly {
        readonly packageName: string;
        readonly name: string;
        readonly held: number;
        readonly failed: readonly { readonly law: string }[];
      }[];
    }>
  >;
}

/** The table of the laws that stages of other libraries and of the runtimes break. */
export function stagesOfOthers(): string {
  const path = new URL("../others/found.json", import.meta.url);
  const { versions, runtimes }: Found = JSON.parse(readFileSync(path, "utf8"));
  const all = Object.entries(runtimes);
  const head = ["stage", "of", ...all.map(([name, { version }]) => `${name} ${version}`)];
  const body = all[0]![1].stages.map(({ packageName, name }, row) => [
    `\`${name}\``,
    packageName in versions ? `${packageName} (${versions[packageName]})` : packageName,
    ...all.map(([, { stages }]) => {
      const { held, failed } = stages[row]!;
      const broken = failed.map(({ law }) => `\`${law}\``).join(", ");
      return broken === "" ? `all ${held} hold` : `${held} hold; ${broken}`;
    }),
  ]);
  const widths = head.map((title, column) =>
    Math.max(title.length, ...body.map((cells) => cells[column]!.length))
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((text, column) => text.padEnd(widths[column]!)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n");
}
