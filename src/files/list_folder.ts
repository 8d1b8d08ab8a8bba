import { constants } from "node:fs";
import { open, readdir, readlink, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { resolveTarget } from "./resolve_target.ts";
import { isInside, unlessAbsent } from "./open_served_file.ts";

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

interface Line {
  readonly name: string;
  readonly isFolder: boolean;
}

/** Whether a link can lead to a name: one that is not text is read with a mark in place of its bytes. */
function isLinkable(name: string): boolean {
  return name.isWellFormed() && !name.includes("\ufffd") &&
    resolveTarget(`/${encodeURIComponent(name)}`) !== undefined;
}

/** What may be asked for in a folder: a link is shown as what it leads to, if that lies inside. */
async function readLines(root: string, folder: string, showsDotfiles: boolean): Promise<Line[]> {
  const lines: Line[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const { name } = entry;
    if (name.startsWith(".") && !showsDotfiles) continue;
    if (entry.isFile() || entry.isDirectory()) {
      lines.push({ name, isFolder: entry.isDirectory() });
    } else if (entry.isSymbolicLink()) {
      const path = join(folder, name);
      const stats = await unlessAbsent(async () =>
        isInside(root, await realpath(path)) ? await stat(path) : undefined
      );
      if (stats?.isFile() || stats?.isDirectory()) {
        lines.push({ name, isFolder: stats.isDirectory() });
      }
    }
  }
  const byName = (one: Line, other: Line) => one.name < other.name ? -1 : 1;
  return lines.sort((one, other) =>
    Number(other.isFolder) - Number(one.isFolder) || byName(one, other)
  );
}

function render(names: readonly string[], all: readonly Line[]): string {
  const lines = all.filter(({ name }) => isLinkable(name));
  const left = all.length - lines.length;
  const note = left === 0
    ? ""
    : `<p>Not listed, because no link can name ${left === 1 ? "it" : "them"}: ${left}</p>\n`;
  const title = escape(`/${names.map((name) => `${name}/`).join("")}`);
  const up: Line[] = names.length > 0 ? [{ name: "..", isFolder: true }] : [];
  const items = [...up, ...lines].map(({ name, isFolder }) => {
    const end = isFolder ? "/" : "";
    // A leading dot and slash, or a name with a colon would be a scheme.
    return `<li><a href="./${encodeURIComponent(name)}${end}">${escape(name)}${end}</a></li>\n`;
  });
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<h1>${title}</h1>
<ul>
${items.join("")}</ul>
${note}</html>
`;
}

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
): Promise<Line[] | undefined> {
  if (process.platform !== "linux") {
    const lines = await readLines(root, folder, showsDotfiles);
    return await realpath(folder) === folder ? lines : undefined;
  }
  const handle = await open(folder, folderFlags);
  try {
    const opened = `/proc/self/fd/${handle.fd}`;
    if (!isInside(root, await readlink(opened))) return undefined;
    return await readLines(root, `${opened}/`, showsDotfiles);
  } finally {
    await handle.close();
  }
}

/** A page that names what is in a folder, or `undefined` if there is no such folder below `root`. */
export function listFolder(
  root: string,
  names: readonly string[],
  showsDotfiles: boolean,
): Promise<string | undefined> {
  return unlessAbsent(async () => {
    const realRoot = await realpath(root);
    const folder = await realpath(join(realRoot, ...names));
    if (!isInside(realRoot, folder) || !(await stat(folder)).isDirectory()) return undefined;
    const lines = await readInside(realRoot, folder, showsDotfiles);
    return lines && render(names, lines);
  });
}
