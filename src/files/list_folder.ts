import { constants } from "node:fs";
import { open, readdir, readlink, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { resolveTarget } from "./resolve_target.ts";
import { isInside, unlessAbsent } from "./open_served_file.ts";

/** A name of a folder. */
interface Line {
  readonly name: string;
  readonly isFolder: boolean;
}

/** A line of a page, with what is looked up for it. */
interface ShownLine extends Line {
  readonly size: number;
  readonly modified: Date | undefined;
}

/** One page of a folder. */
interface Page {
  readonly lines: readonly ShownLine[];
  readonly number: number;
  readonly pages: number;
  /** How many names no link can lead to. */
  readonly unnamed: number;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]!);
}

const units = ["KiB", "MiB", "GiB", "TiB", "PiB"];

/** A number of bytes for people: three digits at most, and a unit. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  let [value, unit] = [bytes / 1024, 0];
  // What would be rounded to 1024 is one of the next.
  for (; value >= 1023.5 && unit < units.length - 1; unit++) value /= 1024;
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

function renderRow({ name, isFolder, size, modified }: ShownLine): string {
  const end = isFolder ? "/" : "";
  // A leading dot and slash, or a name with a colon would be a scheme.
  const link = `<a href="./${encodeURIComponent(name)}${end}">${escape(name)}${end}</a>`;
  const time = modified?.toISOString();
  const date = time === undefined
    ? ""
    : `<time datetime="${time}">${time.slice(0, 16).replace("T", " ")}</time>`;
  return `<tr><td>${link}</td><td align="right">${isFolder ? "" : formatSize(size)}</td>` +
    `<td>${date}</td></tr>\n`;
}

/** A folder as a page of HTML. */
function renderFolder(
  names: readonly string[],
  { lines, number, pages, unnamed }: Page,
): string {
  const note = unnamed === 0
    ? ""
    : `<p>Not listed, because no link can name ${unnamed === 1 ? "it" : "them"}: ${unnamed}</p>\n`;
  const title = escape(`/${names.map((name) => `${name}/`).join("")}`);
  const up = { name: "..", isFolder: true, size: 0, modified: undefined };
  const rows = [...names.length > 0 ? [up] : [], ...lines].map(renderRow);
  const toPage = (other: number, text: string) =>
    other < 1 || other > pages ? "" : `<a href="./?page=${other}">${text}</a> `;
  const turn = pages === 1
    ? ""
    : `<p>Page ${number} of ${pages} ${toPage(number - 1, "previous")}${
      toPage(number + 1, "next")
    }</p>\n`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<h1>${title}</h1>
${turn}<table cellpadding="3">
<tr><th align="left">Name</th><th align="right">Size</th><th align="left">Modified (UTC)</th></tr>
${rows.join("")}</table>
${turn}${note}</html>
`;
}

/** Reads pages of the folder that names lead to. */
type ReadPages = (
  names: readonly string[],
  numbers: readonly number[],
) => Promise<ReadonlyMap<number, string>>;

/** A huge folder takes memory for each reading of it. */
const mostAtOnce = 2;

/** More pages than that of one reading would be held until the last is there. */
const mostPages = 16;

/** Pages of one folder that wait to be read. */
interface Job {
  readonly key: string;
  readonly names: readonly string[];
  readonly pages: Map<number, PromiseWithResolvers<string | undefined>>;
}

/** Lists of a handler's folders: requests for one that waits to be read share one reading. */
export class FolderLists {
  readonly #read: ReadPages;
  readonly #jobs = new Set<Job>();
  /** The last job of each folder that waits. */
  readonly #last = new Map<string, Job>();
  #reading = 0;

  constructor(read: ReadPages) {
    this.#read = read;
  }

  /** A page of the folder as it is from now on; `undefined` if there is none. */
  read(names: readonly string[], number: number): Promise<string | undefined> {
    const key = names.join("/");
    let job = this.#last.get(key);
    if (job === undefined || job.pages.size === mostPages && !job.pages.has(number)) {
      job = { key, names, pages: new Map() };
      this.#jobs.add(job);
      this.#last.set(key, job);
    }
    let page = job.pages.get(number);
    if (page === undefined) job.pages.set(number, page = Promise.withResolvers());
    void this.#work();
    return page.promise;
  }

  async #work(): Promise<void> {
    if (this.#reading === mostAtOnce) return;
    this.#reading++;
    for (let [job] = this.#jobs; job !== undefined; [job] = this.#jobs) {
      const { key, names, pages } = job;
      this.#jobs.delete(job);
      if (this.#last.get(key) === job) this.#last.delete(key);
      try {
        const texts = await this.#read(names, [...pages.keys()]);
        for (const [number, { resolve }] of pages) resolve(texts.get(number));
      } catch (error) {
        for (const { reject } of pages.values()) reject(error);
      }
    }
    this.#reading--;
  }
}

/** What a page shows of a folder at most. */
const pageLength = 1000;

/** Whether a link can lead to a name: one that is not text is read with a mark in place of its bytes. */
function isLinkable(name: string): boolean {
  return name.isWellFormed() && !name.includes("\ufffd") &&
    resolveTarget(`/${encodeURIComponent(name)}`) !== undefined;
}

const sortLines = <L extends Line>(lines: L[]): L[] =>
  lines.sort((one, other) =>
    Number(other.isFolder) - Number(one.isFolder) || (one.name < other.name ? -1 : 1)
  );

/** What a name leads to, if it may be asked for: what lies outside, and what is no file or folder, is not shown. */
async function lookAt(
  root: string,
  folder: string,
  line: Line,
  isLink: boolean,
  showsDotfiles: boolean,
) {
  const path = join(folder, line.name);
  const stats = await unlessAbsent(async () =>
    !isLink || isInside(root, await realpath(path), showsDotfiles) ? await stat(path) : undefined
  );
  if (!stats?.isFile() && !stats?.isDirectory()) return [];
  const shown: ShownLine = {
    name: line.name,
    isFolder: stats.isDirectory(),
    size: stats.size,
    modified: Number.isNaN(stats.mtime.getTime()) ? undefined : stats.mtime,
  };
  return [shown];
}

/** What may be asked for in a folder, sorted, folders first. */
interface Names {
  readonly all: readonly Line[];
  readonly links: ReadonlySet<string>;
  /** How many names no link can lead to. */
  readonly unnamed: number;
}

async function readNames(folder: string, showsDotfiles: boolean): Promise<Names> {
  const links = new Set<string>();
  const all: Line[] = [];
  let unnamed = 0;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const { name } = entry;
    if (name.startsWith(".") && !showsDotfiles) continue;
    const isLink = entry.isSymbolicLink();
    if (!entry.isFile() && !entry.isDirectory() && !isLink) continue;
    if (!isLinkable(name)) unnamed++;
    else all.push({ name, isFolder: entry.isDirectory() });
    if (isLink) links.add(name);
  }
  return { all: sortLines(all), links, unnamed };
}

/**
 * One page of names. Only what a page shows is looked at, so that links, which are shown as what they lead to, stand
 * among the files of their page if there are several.
 */
async function readPage(
  root: string,
  folder: string,
  showsDotfiles: boolean,
  { all, links, unnamed }: Names,
  number: number,
): Promise<Page | undefined> {
  const pages = Math.max(1, Math.ceil(all.length / pageLength));
  if (number > pages) return undefined;
  const some = all.slice((number - 1) * pageLength, number * pageLength);
  const lines: ShownLine[] = [];
  for (let at = 0; at < some.length; at += looksAtOnce) {
    const looks = some.slice(at, at + looksAtOnce)
      .map((line) => lookAt(root, folder, line, links.has(line.name), showsDotfiles));
    lines.push(...(await Promise.all(looks)).flat());
  }
  return { lines: sortLines(lines), number, pages, unnamed };
}

type Pages = ReadonlyMap<number, Page | undefined>;

/** Several pages of what is read once. */
async function readPages(
  root: string,
  folder: string,
  showsDotfiles: boolean,
  numbers: readonly number[],
): Promise<Pages> {
  const names = await readNames(folder, showsDotfiles);
  const pages = new Map<number, Page | undefined>();
  for (const number of numbers) {
    pages.set(number, await readPage(root, folder, showsDotfiles, names, number));
  }
  return pages;
}

/** More would only stand in line for the system. */
const looksAtOnce = 32;

// Without these two a pipe's other end would be waited for, and a link put in the folder's place be followed.
const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * Reads the folder at a real path, or nothing if it lies outside: a link may have replaced it, and
 * may take it away again. Where the system names open files, what was opened is what is looked at and read.
 */
async function readInside(
  root: string,
  folder: string,
  showsDotfiles: boolean,
  numbers: readonly number[],
): Promise<Pages | undefined> {
  const handle = process.platform === "linux" ? await open(folder, folderFlags) : undefined;
  try {
    const opened = `/proc/self/fd/${handle?.fd}`;
    // A process that may not do everything may not look there, either.
    const location = handle && await readlink(opened).catch(() => undefined);
    if (location === undefined) {
      const pages = await readPages(root, folder, showsDotfiles, numbers);
      return await realpath(folder) === folder ? pages : undefined;
    }
    if (!isInside(root, location, showsDotfiles)) return undefined;
    return await readPages(root, `${opened}/`, showsDotfiles, numbers);
  } finally {
    await handle?.close();
  }
}

/** The page that a query asks for: the first, if it asks for none. */
export function pageOf(query: string): number {
  return Number(/[?&]page=([1-9]\d{0,8})(?:&|$)/.exec(query)?.[1] ?? 1);
}

/** Pages that name what is in a folder, by their numbers: those that there are, if there is such a folder below `root`. */
export async function listFolder(
  root: string,
  names: readonly string[],
  showsDotfiles: boolean,
  numbers: readonly number[] = [1],
): Promise<ReadonlyMap<number, string>> {
  const pages = await unlessAbsent(async () => {
    const realRoot = await realpath(root);
    const folder = await realpath(join(realRoot, ...names));
    if (!isInside(realRoot, folder, showsDotfiles) || !(await stat(folder)).isDirectory()) {
      return undefined;
    }
    return await readInside(realRoot, folder, showsDotfiles, numbers);
  });
  const texts = new Map<number, string>();
  for (const [number, page] of pages ?? []) {
    if (page !== undefined) texts.set(number, renderFolder(names, page));
  }
  return texts;
}
