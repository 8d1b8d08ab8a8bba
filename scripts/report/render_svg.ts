import { parse, View } from "vega";
import { compile, type TopLevelSpec } from "vega-lite";
import { escapeHtml } from "./html.ts";

/** Who a mark belongs to and what it says, as one text: charts carry no other place for it. */
export function markLabel(api: string, text: string): string {
  return `${api}\u241f${text}`;
}

/** What a picture is called, for people who cannot see it. */
export interface Caption {
  /** Unlike that of any other picture of the document. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
}

const attributes = '((?:[^">]|"[^"]*")*?)';
const label = new RegExp(
  `<(\\w+)${attributes} aria-label="([^"\u241f]*)\u241f([^"]*)"${attributes}/>`,
  "g",
);

const textLabel = new RegExp(
  `<text${attributes} aria-label="([^"\u241f]+)\u241f[^"]*"${attributes}>`,
  "g",
);

/** Turns what Vega says for screen readers into what any reader can point at, and filters can find. */
function markUp(svg: string): string {
  return svg
    .replace(
      label,
      (_all, tag: string, before: string, api: string, text: string, after: string) => {
        const owner = api === "" ? "" : ` data-api="${api}"`;
        const title = [api, text].filter(Boolean).join(": ");
        return `<${tag}${before}${owner}${after}><title>${title}</title></${tag}>`;
      },
    )
    // Text says itself what it is about.
    .replace(
      textLabel,
      (_all, before: string, api: string, after: string) =>
        `<text${before} data-api="${api}"${after}>`,
    )
    // Frames of groups, which are invisible.
    .replace(/<path d="" display="none"\/>|<path class="(?:background|foreground)"[^>]*\/>/g, "")
    .replace(/ role="graphics-[a-z]+"| aria-roledescription="[^"]*"| aria-hidden="true"/g, "")
    .replace(/ aria-label="[^"]*"| class="[^"]*"| pointer-events="none"/g, "");
}

/** Draws a Vega-Lite specification as SVG, the same to the byte every time and in every runtime. */
export async function renderSvg(
  spec: TopLevelSpec,
  { id, title, description }: Caption,
): Promise<string> {
  const view = new View(parse(compile(spec).spec), { renderer: "none" });
  try {
    const svg = markUp(await view.toSVG());
    const [, width, height] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg)!;
    return svg.replace(
      /^<svg[^>]*>/,
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
        `viewBox="0 0 ${width} ${height}" role="img" ` +
        `aria-labelledby="${id}-title ${id}-description">` +
        `<title id="${id}-title">${escapeHtml(title)}</title>` +
        `<desc id="${id}-description">${escapeHtml(description)}</desc>`,
    );
  } finally {
    view.finalize();
  }
}
