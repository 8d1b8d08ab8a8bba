import { Anchors } from "../site/markdown/anchors.ts";
import { bullet } from "./bullet.ts";

/** A page's table of contents: its headings of the second level as links, in one list. */
export function contents(page: string): string {
  const anchors = new Anchors();
  const headings = page.replace(/^```.*?^```/gms, "").matchAll(/^(#+) (.*)$/gm);
  const links = Array.from(headings, ([, level, title]) => {
    const anchor = anchors.next(title!);
    // A link is not broken, as `deno fmt` does not break one.
    return level === "##" ? [`[${title!.replaceAll(" ", "\u2060")}](#${anchor})`] : [];
  }).flat();
  return bullet(`On this page: ${links.join(", ")}`).replaceAll("\u2060", " ");
}
