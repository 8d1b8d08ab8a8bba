import { escapeHtml } from "../markdown_table.ts";
import { type OperatorProgram, type OperatorRun, runOperator } from "./operator_programs.ts";

/** A chunk in few letters: a line feed is ↵, an array is its items, bytes are numbers. */
function printValue(value: unknown): string {
  if (value === "") return "''";
  if (typeof value === "string") return value.replaceAll("\n", "↵");
  if (value instanceof Uint8Array) return `<${value.join(" ")}>`;
  if (Array.isArray(value)) return `[${value.map(printValue).join(" ")}]`;
  if (value !== null && typeof value === "object") {
    return `{${
      Object.entries(value).map(([key, one]) => `${key}: ${printValue(one)}`).join(", ")
    }}`;
  }
  return String(value);
}

type Event = OperatorRun["out"][number];

const left = 46;
const rowHeight = 40;
const boxHeight = 34;
/** Of a letter of the chunks' font. */
const letterWidth = 7.3;
const least = 26;

/** Colours by the reader's scheme, and no ground: it stands on pages of either. */
const style = `
text { font: 13px system-ui, sans-serif; fill: #16181d }
.small { font-size: 12px; fill: #565d68 }
.code { font: 12px ui-monospace, monospace }
.line { fill: none; stroke: #565d68; stroke-width: 2 }
.box { fill: none; stroke: #0072b2; stroke-width: 2 }
.chunk { fill: #0072b2 }
.in { fill: #ffffff; font: 12px ui-monospace, monospace }
.end { stroke: #16181d; stroke-width: 3 }
.bad { fill: none; stroke: #c04a00; stroke-width: 3 }
@media (prefers-color-scheme: dark) {
  text { fill: #eceef1 } .small { fill: #a3abb6 } .line { stroke: #a3abb6 } .box { stroke: #56b4e9 }
  .chunk { fill: #56b4e9 } .in { fill: #0d1117 } .end { stroke: #eceef1 } .bad { stroke: #f0883e }
}`;

const widthOf = ({ kind, value }: Event): number =>
  kind === "chunk" || kind === "request"
    ? Math.max(least, printValue(value).length * letterWidth + 12)
    : least / 2;

/** Where each millisecond begins: as wide as what happens in it, in any row, needs. */
function placeColumns(rows: readonly (readonly Event[])[], lengthMs: number): number[] {
  const places = [left];
  for (let atMs = 0; atMs < lengthMs; atMs++) {
    const needed = rows.map((row) =>
      row.filter((event) => event.atMs === atMs).reduce((sum, event) => sum + widthOf(event) + 4, 0)
    );
    places.push(places.at(-1)! + Math.max(least, ...needed));
  }
  return places;
}

function drawEvent(event: Event, x: number, y: number): string {
  const { kind, value } = event;
  const middle = y + rowHeight / 2;
  if (kind === "end") return `<path class="end" d="M${x + 6} ${middle - 11}v22"/>`;
  if (kind === "request") {
    return `<text text-anchor="middle" x="${x + widthOf(event) / 2}" y="${
      middle - 5
    }">${value}</text>`;
  }
  if (kind !== "chunk") {
    return `<path class="bad" d="M${x + 2} ${middle - 7}l14 14m0 -14l-14 14"/>`;
  }
  const width = widthOf(event);
  return `<rect class="chunk" x="${x}" y="${middle - 12}" width="${width}" height="24" rx="12"/>` +
    `<text class="in" text-anchor="middle" x="${x + width / 2}" y="${middle + 4}">` +
    `${escapeHtml(printValue(value))}</text>`;
}

/** One end of the stage: what passes it, the earliest at the left. */
function drawRow(name: string, row: readonly Event[], places: readonly number[], y: number) {
  const right = places.at(-1)!;
  const middle = y + rowHeight / 2;
  const used = new Map<number, number>();
  const drawn = row.map((event) => {
    const x = (places[event.atMs] ?? right) + (used.get(event.atMs) ?? 0);
    used.set(event.atMs, (used.get(event.atMs) ?? 0) + widthOf(event) + 4);
    return drawEvent(event, x, y);
  });
  return `<text class="small" x="4" y="${middle + 4}">${name}</text>` +
    `<path class="line" d="M${left - 6} ${middle}H${right + 12}m-6 -5l6 5l-6 5"/>${drawn.join("")}`;
}

const words: Readonly<Record<string, string>> = {
  end: "the end",
  fail: "a failure",
  cancel: "a cancel",
};

/** What a row shows, in words. */
function describeRow(name: string, row: readonly Event[]): string {
  if (row.length === 0) return `${name}: nothing`;
  const events = row.map(({ kind, atMs, value }) =>
    `${kind === "chunk" || kind === "request" ? printValue(value) : words[kind]} at ${atMs} ms`
  );
  return `${name}: ${events.join(", ")}`;
}

type NamedRow = readonly [name: string, events: readonly Event[]];

/** The rows above the operator, and those below it. */
function rowsOf({ ins, out, asked }: OperatorRun): [above: NamedRow[], below: NamedRow[]] {
  const nameOf = (index: number) => ins.length === 1 ? "in" : ["one", "other"][index]!;
  const below: NamedRow[] = [["out", out]];
  if (asked.length > 0) below.push(["asks", asked]);
  return [ins.map((row, index) => [nameOf(index), row]), below];
}

/** Draws what goes into an operator and what comes out of it, from a run. */
export async function drawOperator(name: string, program: OperatorProgram): Promise<string> {
  const run = await runOperator(program);
  const [above, below] = rowsOf(run);
  const places = placeColumns([...above, ...below].map(([, events]) => events), run.lengthMs);
  const boxY = above.length * rowHeight + 4;
  const codeWidth = program.code.length * letterWidth + 20;
  const right = Math.max(places.at(-1)! + 12, left + codeWidth);
  const width = Math.ceil(right + 8);
  const height = boxY + boxHeight + below.length * rowHeight + 8;
  const draw = (rows: readonly NamedRow[], y: number) =>
    rows.map(([row, events], index) => drawRow(row, events, places, y + index * rowHeight)).join(
      "",
    );
  const box = `<rect class="box" x="${left - 6}" y="${boxY}" width="${right - left + 6}" ` +
    `height="${boxHeight - 4}" rx="8"/>` +
    `<text class="code" x="${left + 4}" y="${boxY + 19}">${escapeHtml(program.code)}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
    `viewBox="0 0 ${width} ${height}" role="img" ` +
    `aria-labelledby="operator-${name}-title operator-${name}-description">` +
    `<title id="operator-${name}-title">${escapeHtml(program.code)}</title>` +
    `<desc id="operator-${name}-description">${escapeHtml(describeRun(run))}.</desc>` +
    `<style>${style.trim()}</style>${draw(above, 0)}${box}${draw(below, boxY + boxHeight)}</svg>\n`;
}

/** The same in words, for readers who see no pictures. */
export function describeRun(run: OperatorRun): string {
  return rowsOf(run).flat().map(([name, events]) => describeRow(name, events)).join("; ");
}
