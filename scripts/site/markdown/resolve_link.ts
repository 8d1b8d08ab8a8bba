import { posix } from "node:path";
import { relativePath } from "../relative_path.ts";
import { sitePages } from "../site_pages.ts";

const repository = "https://github.com/hosepipe/streams";
const raw = "https://raw.githubusercontent.com/hosepipe/streams/main/";
const pathBySource = new Map(sitePages.map(({ source, path }) => [source, path]));

/** Which file of the project a link leads to; `undefined` for one that leads elsewhere. */
function projectPath(source: string, link: string): string | undefined {
  for (const start of [`${repository}/blob/main/`, `${repository}/tree/main/`, raw]) {
    if (link.startsWith(start)) return link.slice(start.length);
  }
  if (/^[a-z]+:/i.test(link)) return undefined;
  return posix.normalize(posix.join(posix.dirname(source), link));
}

/** Where a link stands. */
export interface LinkPlace {
  /** The file in the project that holds it. */
  readonly source: string;
  /** The page that is made from the file. */
  readonly page: string;
  /** The page of the reference that describes a file of the library, by the file. */
  readonly references?: ReadonlyMap<string, string>;
}

/**
 * Makes a link of a Markdown file one of the site: to its own pages and pictures where it has them, and to the
 * repository where it has not.
 */
export function resolveLink(link: string, { source, page, references }: LinkPlace): string {
  if (link.startsWith("#")) return link;
  const [, address, hash] = /^([^#]*)(.*)$/.exec(link)!;
  const file = projectPath(source, address!);
  if (file === undefined) return link;
  const own = pathBySource.get(file) ?? references?.get(file);
  if (own !== undefined) return relativePath(page, own) + hash;
  if (file.startsWith("docs/images/")) return relativePath(page, file.slice("docs/".length));
  if (/^playground\/?$/.test(file)) return relativePath(page, "playground.html");
  const isFolder = !/\.[a-z]+$|^LICENSE$/i.test(file);
  return `${repository}/${isFolder ? "tree" : "blob"}/main/${file.replace(/\/$/, "")}${hash}`;
}
