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
