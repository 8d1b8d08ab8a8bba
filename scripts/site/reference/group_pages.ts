import type { ReferencePage, ReferenceSymbol } from "./read_reference.ts";

/** What the folders of `src` hold, in the order of a job. */
const groups: readonly (readonly [name: string, folder: RegExp])[] = [
  ["Running a job", /^src\/(?:pipeline|fuse)\//],
  ["Sources", /^src\/sources\//],
  ["Stages", /^src\/stages\//],
  ["Sinks and ends", /^src\/(?:sinks|ends)\//],
  ["Watching a run", /^src\/probe\//],
  ["When it fails or hangs", /^src\/failures\//],
  ["Functions", /./],
];

/** Symbols that stand together. */
export interface SymbolGroup {
  readonly name: string;
  readonly anchor: string;
  readonly symbols: readonly { readonly symbol: ReferenceSymbol; readonly page: ReferencePage }[];
}

/** Groups an entry's symbols by what they are for, the types last. */
export function groupPages(pages: readonly ReferencePage[]): SymbolGroup[] {
  const all = pages.flatMap((page) => page.symbols.map((symbol) => ({ symbol, page })));
  const folderGroup = (source: string) => groups.find(([, folder]) => folder.test(source))![0];
  const groupOf = ({ symbol, page }: (typeof all)[number]) =>
    symbol.isType ? "Types" : folderGroup(page.source);
  return [...groups.map(([name]) => name), "Types"].map((name) => ({
    name,
    anchor: name.toLowerCase().replaceAll(" ", "-"),
    symbols: all.filter((one) => groupOf(one) === name)
      .toSorted((one, other) => one.symbol.name.localeCompare(other.symbol.name, "en")),
  })).filter(({ symbols }) => symbols.length > 0);
}
