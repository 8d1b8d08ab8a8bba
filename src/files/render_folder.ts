/** A name of a folder. */
export interface Line {
  readonly name: string;
  readonly isFolder: boolean;
}

/** A line of a page, with what is looked up for it. */
export interface ShownLine extends Line {
  readonly size: number;
  readonly modified: Date | undefined;
}

/** One page of a folder. */
export interface Page {
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
export function renderFolder(
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
