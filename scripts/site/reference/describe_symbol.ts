import { escapeHtml, Html, html, type HtmlValue } from "../../documents/markdown_table.ts";
import { codeOf, type OutputLine } from "../examples/read_examples.ts";
import { highlight } from "../markdown/render_markdown.ts";
import {
  type Documentation,
  type Member,
  parseDocumentation,
  type ReferenceSymbol,
  type Signature,
} from "./read_reference.ts";

/**
 * Makes links of the names of types in highlighted code.
 *
 * @param addresses Where each name is described, by the name.
 */
function linkTypes(markup: string, addresses: ReadonlyMap<string, string>): string {
  return markup.replace(/(<[^>]*>)|\b[A-Za-z]\w*\b/g, (found, tag) => {
    const address = tag === undefined ? addresses.get(found) : undefined;
    return address === undefined ? found : `<a href="${address}">${found}</a>`;
  });
}

/** What the description of a symbol needs of the page it is on. */
export interface DescriptionContext {
  /** Makes markup of Markdown. */
  readonly render: (markdown: string) => Html;
  /** Where each name of the entry is described. */
  readonly addresses: ReadonlyMap<string, string>;
  /** What each example shows, by its code. */
  readonly outputs: ReadonlyMap<string, readonly OutputLine[]>;
}

interface Term {
  readonly term: Html;
  readonly text: string;
}

function tagsOf({ tags }: Documentation, ...names: readonly string[]): string[] {
  return tags.filter(({ name }) => names.includes(name)).map(({ text }) => text);
}

function code(text: string, { addresses }: DescriptionContext): Html {
  return new Html(linkTypes(highlight(text, "ts"), addresses));
}

function list(title: string, terms: readonly Term[], { render }: DescriptionContext) {
  if (terms.length === 0) return undefined;
  return html`
    <h3 class="part">${title}</h3>
    <dl>
    ${terms.map(({ term, text }) =>
      html`
        <dt>${term}</dt>
        <dd>${render(text)}</dd>
      `
    )}</dl>
  `;
}

/** Of `size How many` the name and the rest. */
function named(text: string): Term {
  const [, name, rest] = /^(\S+)\s*-?\s*([\s\S]*)$/.exec(text) ?? [];
  return { term: html`<code>${name}</code>`, text: rest! };
}

/** Of `{TypeError} If …` the class and the rest. */
function thrown(text: string): Term {
  const [, name, rest] = /^\{([^}]+)\}\s*([\s\S]*)$/.exec(text) ?? [];
  if (name === undefined) return { term: html`Anything`, text };
  return { term: html`<code>${name}</code>`, text: rest! };
}

function member({ signature, documentation }: Member, context: DescriptionContext): Term {
  const { text, tags } = parseDocumentation(documentation);
  const more = tags.map(({ name, text }) =>
    name === "param" ? `\`${text.split(/\s/)[0]}\`: ${text.replace(/^\S+\s*/, "")}` : text
  );
  return {
    term: html`<code>${code(signature.replace(/ \| undefined$/, ""), context)}</code>`,
    text: [text, ...more].join("\n\n"),
  };
}

/** What an example prints, and what its assertions are about with the values of that. */
function output(lines: readonly OutputLine[]): Html {
  const shown = lines.map(([first, value]) =>
    value === undefined
      ? escapeHtml(first)
      : `${highlight(first, "ts")}\n<b>→</b> ${highlight(value.replaceAll("\n", "\n  "), "ts")}`
  );
  return html`
    <div class="code output">
      <p>Output</p>
      <pre><code>${new Html(shown.join("\n"))}</code></pre>
    </div>
  `;
}

function example(text: string, { render, outputs }: DescriptionContext): Html {
  const [, title, rest] = /^([^\n`]*)\n?([\s\S]*)$/.exec(text)!;
  const heading = title!.trim() === "" ? "Example" : `Example: ${title!.trim()}`;
  const lines = outputs.get(codeOf(text)) ?? [];
  return html`<h3 class="part">${heading}</h3>
${render(rest!)}
${lines.length > 0 ? output(lines) : undefined}`;
}

/** How a constant that is called is called, by its documented parameters. */
function usage(name: string, documentation: Documentation): string {
  const names = tagsOf(documentation, "param").map((text) => text.split(/\s/)[0]!);
  return `${name}(${names.map((name) => name === "stages" ? "...stages" : name).join(", ")})`;
}

/** One declaration of a symbol, with its documentation and that of its members. */
function describeDeclaration(
  name: string,
  { code: declared, members, documentation: comment }: Signature,
  context: DescriptionContext,
): Html {
  const documentation = parseDocumentation(comment);
  const tags = (...names: readonly string[]) => tagsOf(documentation, ...names);
  const isCalled = declared.startsWith("const ") && tags("param").length > 0;
  const returned = tags("returns", "return").map((text) =>
    html`
      <h3 class="part">Returns</h3>
      ${context.render(text)}
    `
  );
  const shown = isCalled ? usage(name, documentation) : declared;
  return html`
    <div class="code signature">
      <pre><code>${code(shown, context)}</code></pre>
    </div>
    ${[
      context.render(documentation.text),
      tags("example").map((text) => example(text, context)),
      list("Parameters", tags("param").map(named), context),
      returned,
      list("Throws", tags("throws").map(thrown), context),
      list("Members", members.map((one) => member(one, context)), context),
      list("Type parameters", tags("typeParam", "template").map(named), context),
    ]}
  `;
}

/** A symbol's declarations: one, or one for each way to call a function. */
export function describeSymbol(
  { name, signatures }: ReferenceSymbol,
  context: DescriptionContext,
): HtmlValue {
  return signatures.map((signature) => describeDeclaration(name, signature, context));
}
