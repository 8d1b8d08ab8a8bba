import { posix } from "node:path";
import { operatorInWords } from "../../documents/operators/operators_list.ts";
import { Html, html } from "../../documents/markdown_table.ts";
import type { PageContent } from "../layout.ts";
import { type Heading, plainText, renderMarkdown } from "../markdown/render_markdown.ts";
import { relativePath } from "../site_pages.ts";
import { describeSymbol, type DescriptionContext } from "./describe_symbol.ts";
import type { ReferenceEntry, ReferencePage, ReferenceSymbol } from "./read_reference.ts";

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
interface SymbolGroup {
  readonly name: string;
  readonly anchor: string;
  readonly symbols: readonly { readonly symbol: ReferenceSymbol; readonly page: ReferencePage }[];
}

/** Groups an entry's symbols by what they are for, the types last. */
function groupPages(pages: readonly ReferencePage[]): SymbolGroup[] {
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

/** The first sentence or two of a text, for lists. */
export function summaryOf(text: string): string {
  return text.split(/\n\s*\n/)[0]!.replace(/\s+/g, " ");
}

function titleOf({ symbols }: ReferencePage): string {
  const value = symbols.find(({ isType }) => !isType);
  if (value !== undefined) return value.name;
  const names = symbols.map(({ name }) => name);
  return names.length < 3 ? names.join(" and ") : `${names[0]} and ${names.length - 1} more`;
}

function heading(level: number, title: string): Heading {
  return { level, title, markup: `<code>${title}</code>`, anchor: title };
}

/** The names of an entry's functions, as a list for the navigation. */
function inside(entry: ReferenceEntry, page: string): Html {
  const named = entry.pages.flatMap(({ path, symbols }) =>
    symbols.filter(({ isType }) => !isType).map(({ name }) => ({ path, name }))
  ).toSorted((one, other) => one.name.localeCompare(other.name, "en"));
  return html`
    <ul>
    ${named.map(({ path, name }) =>
      html`
        <li><a href="${relativePath(page, path)}"${path === page
          ? html`
            aria-current="page"
          `
          : undefined}>${name}</a></li>
      `
    )}</ul>
  `;
}

/** The picture of an operator, if there is one. */
function picture(name: string, { path }: ReferencePage, { specifier }: ReferenceEntry) {
  const words = specifier === "@hosepipe/streams" ? operatorInWords(name) : undefined;
  if (words === undefined) return undefined;
  const address = relativePath(path, `images/operator-${name}.svg`);
  return html`<p><img src="${address}" alt="${words}"></p>`;
}

function symbolPage(
  entry: ReferenceEntry,
  page: ReferencePage,
  targets: ReadonlyMap<string, string>,
  outputs: DescriptionContext["outputs"],
): PageContent {
  const { path, symbols, source } = page;
  const title = titleOf(page);
  const addresses = new Map(
    Array.from(targets, ([name, target]) => [name, `${relativePath(path, target)}#${name}`]),
  );
  const render = (text: string) => new Html(renderMarkdown(text, { source, page: path }).markup);
  const sourceUrl = `https://github.com/hosepipe/streams/blob/main/${source}`;
  const values = symbols.filter(({ isType }) => !isType).map(({ name }) => name);
  const imported = values.length > 0
    ? `import { ${values.join(", ")} } from "${entry.specifier}";`
    : `import type { ${symbols.map(({ name }) => name).join(", ")} } from "${entry.specifier}";`;
  return {
    ...{ path, title, kind: "reference" },
    description: plainText(summaryOf(symbols[0]!.documentation.text)),
    inside: inside(entry, path),
    headings: symbols.map(({ name }) => heading(2, name)),
    markup: html`<p class="crumbs"><a href="${
      relativePath(path, "reference/index.html")
    }">Reference</a>
/ <a href="${relativePath(path, entry.path)}">${entry.specifier}</a></p>
<h1>${title}</h1>
<p class="import"><code>${imported}</code> <a href="${sourceUrl}">Source</a></p>
${
      symbols.map((symbol, index) =>
        html`
          <section>
          <h2 id="${symbol.name}"${index === 0 && symbol.name === title
            ? html`
              class="hidden"
            `
            : undefined}>
          <a class="anchor" href="#${symbol.name}">${symbol.name}</a></h2>
          ${picture(symbol.name, page, entry)}
          ${describeSymbol(symbol, { render, addresses, outputs })}</section>
        `
      )
    }`,
  };
}

function entryPage(entry: ReferenceEntry): PageContent {
  const { path, specifier, documentation } = entry;
  const source = posix.join(posix.dirname(entry.pages[0]!.source), "mod.ts");
  const { markup } = renderMarkdown(documentation.text, { source, page: path });
  const groups = groupPages(entry.pages);
  return {
    ...{ path, title: specifier, kind: "reference" },
    description: plainText(summaryOf(documentation.text)),
    inside: inside(entry, path),
    headings: groups.map(({ name, anchor }) => ({ level: 2, title: name, markup: name, anchor })),
    markup: html`<p class="crumbs"><a href="${
      relativePath(path, "reference/index.html")
    }">Reference</a></p>
<h1>${specifier}</h1>
${new Html(markup)}
${
      groups.map(({ name, anchor, symbols }) =>
        html`
          <h2 id="${anchor}"><a class="anchor" href="#${anchor}">${name}</a></h2>
          <dl class="symbols">
          ${symbols.map(({ symbol, page }) =>
            html`
              <dt><a href="${relativePath(path, page.path)}#${symbol.name}"><code>${symbol
                .name}</code></a></dt>
              <dd>${plainText(summaryOf(symbol.documentation.text))}</dd>
            `
          )}</dl>
        `
      )
    }`,
  };
}

function indexPage(entries: readonly ReferenceEntry[]): PageContent {
  const path = "reference/index.html";
  const description =
    "Every name that the package exports, with its options, failures and examples.";
  return {
    ...{ path, title: "API reference", kind: "reference", description, headings: [] },
    markup: html`
      <h1>API reference</h1>
      <p>${description} The tests of the project run each example; under it stands what it showed.</p>
      <dl class="symbols">
      ${entries.map(({ specifier, path: target, documentation, pages }) =>
        html`
          <dt><a href="${relativePath(path, target)}"><code>${specifier}</code></a></dt>
          <dd>${plainText(summaryOf(documentation.text))}
          <span class="muted">${pages.flatMap(({ symbols }) =>
            symbols.filter(({ isType }) => !isType)
          )
            .map(({ name }) => name).join(", ")}</span></dd>
        `
      )}</dl>
    `,
  };
}

/** Makes all pages of the reference, of its entries and of what each example shows. */
export function referencePages(
  entries: readonly ReferenceEntry[],
  outputs: DescriptionContext["outputs"],
): PageContent[] {
  return [
    indexPage(entries),
    ...entries.flatMap((entry) => {
      const targets = new Map(
        entry.pages.flatMap(({ path, symbols }) => symbols.map(({ name }) => [name, path])),
      );
      return [
        entryPage(entry),
        ...entry.pages.map((page) => symbolPage(entry, page, targets, outputs)),
      ];
    }),
  ];
}
