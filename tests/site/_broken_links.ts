import { posix } from "node:path";

/** The ids of a page's elements. */
function idsOf(markup: string): Set<string> {
  return new Set(Array.from(markup.matchAll(/\sid="([^"]*)"/g), ([, id]) => id!));
}

/** The links of a site's pages, and what they load, that lead to nothing in it. */
export function brokenLinks(files: ReadonlyMap<string, string>): string[] {
  const pages = [...files].filter(([path]) =>
    path.endsWith(".html") && !path.startsWith("playground/")
  );
  const ids = new Map(pages.map(([path, markup]) => [path, idsOf(markup)]));
  const broken: string[] = [];
  for (const [path, markup] of pages) {
    for (const [, link] of markup.matchAll(/\s(?:href|src|srcset)="([^"]*)"/g)) {
      if (/^(?:https?|data|mailto):/.test(link!)) continue;
      const [, address, hash] = /^([^#]*)#?(.*)$/.exec(link!)!;
      const target = address === "" ? path : posix.join(posix.dirname(path), address!);
      const isThere = files.has(target) &&
        (hash === "" || !ids.has(target) || ids.get(target)!.has(decodeURIComponent(hash!)));
      if (!isThere) broken.push(`${path}: ${link}`);
    }
  }
  return broken;
}
