import type { Workload } from "../../bench/measure/workload.ts";
import { describeParams } from "../../bench/results/describe_params.ts";
import { losses } from "../../bench/results/losses.ts";
import { noopName } from "../../bench/results/noop_name.ts";
import {
  isMeasured,
  type MeasuredRow,
  type ResultFile,
  type Row,
} from "../../bench/results/result.ts";
import { isOurs } from "../../bench/results/roles.ts";
import { sampleCount } from "../../bench/results/sample_count.ts";
import { ratioOfMedians } from "../../bench/results/statistics.ts";
import { formatDuration, threeDigits } from "../../bench/tables/format_duration.ts";
import { type RowTable, rowTables } from "../../bench/tables/row_table.ts";
import type { RuntimeName } from "../../runtimes/current_runtime.ts";
import { claims } from "../documents/bench/claims.ts";
import { Html, html } from "./html.ts";

/** How the report looks: on a phone, on a desk, on paper, by day and by night. */
const pageStyle = `
:root { color-scheme: light dark; --paper: #fff; --ink: #16181d; --muted: #565d68; --bar: #c9dff0; --ours: #0072b2 }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14161a; --ink: #eceef1; --muted: #a3abb6; --bar: #2c4a60; --ours: #56b4e9 }
}
body {
  margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 60rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: break-word;
}
h2 { margin: 3rem 0 .4rem }
h3 { font-size: 1rem; color: var(--muted) }
a { color: inherit }
nav ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .2rem 1.1rem }
div { overflow-x: auto }
table { border-collapse: collapse; width: 100%; font-size: .85rem; font-variant-numeric: tabular-nums }
th, td { padding: .15rem .5rem; text-align: right; white-space: nowrap }
th:first-child { text-align: left }
thead th { color: var(--muted); font-weight: 600 }
.bar { width: 45%; min-width: 8rem; text-align: left }
.bar span { display: block; height: .8rem; background: var(--bar) }
.ours th { color: var(--ours) }
.ours .bar span { background: var(--ours) }
`;

/** A result file, and what it is called where it lies. */
export interface NamedResult {
  readonly name: string;
  readonly result: ResultFile;
}

/** One contestant: its time and its spread, and a bar as long as the time. */
function line(row: Row, base: MeasuredRow | undefined, longest: number): Html {
  const name = html`<th scope="row">${row.contestant}</th>`;
  if (!isMeasured(row)) return html`<tr>${name}<td colspan="5">failed: ${row.error}</td></tr>`;
  const { median, p25, p75, contestant } = row;
  const width = threeDigits(100 * median / longest);
  return html`<tr class="${isOurs(contestant) ? "ours" : ""}">${name}<td>${
    formatDuration(median)
  }</td>
    <td>${formatDuration(p25)} to ${formatDuration(p75)}</td><td>${sampleCount(row)}</td>
    <td>${base === undefined ? "" : threeDigits(ratioOfMedians(row, base))}</td>
    <td class="bar"><span style="width: ${width}%"></span></td></tr>`;
}

/** One case in one runtime, the fastest first. */
function table(cases: RowTable, runtime: { name: RuntimeName; version: string }): Html {
  const rows = cases.contestants.filter((name) => name !== noopName)
    .flatMap((name) => cases.row(name, runtime.name) ?? []);
  const time = (row: Row) => isMeasured(row) ? row.median : Infinity;
  const base = cases.base(runtime.name);
  const longest = Math.max(...rows.filter(isMeasured).map(time));
  const head = ["median", "quartiles", "n", base === undefined ? "" : `/ ${base.contestant}`, ""];
  return html`
    <div>
      <table>
        <thead>
          <tr><th scope="col">${runtime.name} ${runtime.version}</th>${head.map((title) =>
            html`<th scope="col">${title}</th>`
          )}</tr>
        </thead>
        <tbody>${rows.toSorted((one, other) => time(one) - time(other)).map((row) =>
          line(row, base, longest)
        )}</tbody>
      </table>
    </div>
  `;
}

function section(workload: string, rows: readonly Row[], known: readonly Workload[]): Html {
  const tables = rowTables(rows.filter((row) => row.workload === workload), () => []);
  return html`<section id="${workload}"><h2>${workload}</h2>
    <p>${known.find(({ name }) => name === workload)?.about}</p>${
    tables.map((cases) =>
      html`<h3>${describeParams(cases.params)}</h3>${
        cases.runtimes.map((runtime) => table(cases, runtime))
      }`
    )
  }</section>`;
}

function list(items: readonly (string | Html)[]): Html {
  return html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`;
}

/** Where the numbers come from: machine, commit, seed. */
function provenance({ name, result }: NamedResult): string {
  const { machine, startedAt, seed, profile, commit, dirty, complete, rows } = result;
  return `${name}: ${rows.length} rows${complete ? "" : ", interrupted"}, ${startedAt}, on ` +
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.os}, commit ` +
    `${commit ?? "unknown"}${dirty ? " with changes" : ""}, profile ${profile}, seed ${seed}.`;
}

/** Builds the report: one HTML document that needs nothing but itself. The last file that has a workload speaks for it. */
export function buildReport(results: readonly NamedResult[], known: readonly Workload[]): string {
  const sources = new Map(
    results.flatMap(({ result }) => result.rows.map(({ workload }) => [workload, result] as const)),
  );
  const rows = [...sources].flatMap(([workload, result]) =>
    result.rows.filter((row) => row.workload === workload)
  );
  const names = [...sources.keys()].sort();
  const lost = losses(rows, known).map(({ title, peers, ratio, reason }) =>
    `${title}: ${peers.join(", ")}, by up to ${threeDigits(ratio)} times. ${reason}`
  );
  const document = html`
    <!doctype html>
    <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta http-equiv="Content-Security-Policy"
        content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
      <link rel="icon" href="data:,">
      <title>hosepipe: what streams cost</title>
      <style>${new Html(pageStyle)}</style>
      <header><h1>What streams cost</h1>
    <p>Medians and middle halves of the samples (n), and times as long as pipeline. They hold for the machine and the
    versions named here, and for nothing else.</p>${list(
      claims(results.map(({ result }) => result)),
    )}</header>
      <nav aria-label="Workloads">${list(
        names.map((name) => html`<a href="#${name}">${name}</a>`),
      )}</nav>
      <main><section id="peers"><h2>Where a peer wins</h2>${lost.length === 0
        ? html`<p>Nowhere in these rows.</p>`
        : list(lost)}</section>${names.map((name) => section(name, rows, known))}</main>
      <footer>${list(results.map(provenance))}</footer>
    </html>
  `;
  return document.text.trimStart();
}
