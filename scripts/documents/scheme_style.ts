import { palette } from "../report/palette.ts";

/** What each of the palette's own colours is on a light page and on a dark one. */
const inks: readonly (readonly [name: string, light: string, dark: string])[] = [
  [palette.ink, "#16181d", "#eceef1"],
  [palette.muted, "#565d68", "#a3abb6"],
  [palette.grid, "#e3e6ea", "#30363d"],
  [palette.paper, "#ffffff", "#0d1117"],
  [palette.blue, palette.blue, "#56b4e9"],
];

/**
 * Colours a chart for pages of either scheme: light as it is, dark where the reader prefers that, on no ground of its
 * own.
 */
export function schemeStyle(svg: string): string {
  const light = inks.reduce(
    (text, [name, colour]) => text.replaceAll(`"${name}"`, `"${colour}"`),
    svg,
  );
  const rules = inks.flatMap(([, from, to]) =>
    ["fill", "stroke"].map((attribute) => `[${attribute}="${from}"] { ${attribute}: ${to} }`)
  );
  const style = `<style>@media (prefers-color-scheme: dark) {\n${rules.join("\n")}\n}</style>`;
  return light.replace("</desc>", `</desc>${style}`);
}
