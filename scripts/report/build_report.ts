import { runtimeNames } from "../../runtimes/current_runtime.ts";
import type { ResultFile } from "../../bench/results/result.ts";
import type { Chart } from "./chart.ts";
import { chartSection } from "./chart_section.ts";
import { memoryChart, type MemoryChartOptions } from "./charts/memory_chart.ts";
import { expectedWorkloads, resultChart, type WorkloadNotes } from "./charts/result_charts.ts";
import { Html, html } from "./html.ts";
import { openingSentence } from "./opening_sentence.ts";
import { pageScript } from "./page_script.ts";
import { pageStyle } from "./page_style.ts";
import { peerSection, peerTitle } from "./peer_section.ts";
import { type NamedResult, provenanceSection } from "./provenance_section.ts";

/** The last file that has a workload speaks for it. */
function sourcesOf(results: readonly NamedResult[]): Map<string, ResultFile> {
  const sources = new Map<string, ResultFile>();
  for (const { result } of results) {
    for (const { workload } of result.rows) sources.set(workload, result);
  }
  return sources;
}

function missing(workload: string): Html {
  return html`
    <p>${workload} is not in these results: <code>deno task bench --workload ${workload}</code>
    measures it.</p>
  `;
}

function memoryCharts(
  sources: Map<string, ResultFile>,
  workloads: readonly string[],
  options: MemoryChartOptions,
): Chart[] {
  const bySource = Map.groupBy(workloads, (workload) => sources.get(workload)!);
  return [...bySource].flatMap(([source, names], index) => {
    const chart = memoryChart(source, names, options);
    if (chart === undefined) return [];
    return index === 0 ? [chart] : [{ ...chart, id: `${chart.id}-${index}` }];
  });
}

function filters(rows: ResultFile["rows"]): Html {
  const present = runtimeNames.filter((name) => rows.some(({ runtime }) => runtime === name));
  return html`
    <div
      class="filters"><fieldset><legend>Runtimes</legend>${present.map((name) =>
        html`
          <label><input type="checkbox" data-filter="runtime" value="${name}" checked>${name}</label>
        `
      )}</fieldset><button type="button" data-reset disabled>Show all</button></div>
    <p data-empty hidden>No runtime is chosen: choose one above to see its charts.</p>
  `;
}

function opening(results: readonly NamedResult[]): Html {
  const text = openingSentence(results.map(({ result }) => result));
  return text === "" ? html`` : html`<p><strong>${text}</strong></p>`;
}

/** Whose charts come first: the first of them that there is has what the opening sentence says. */
const foremost = ["real_work", "copy_lines", "short_streams", "native_ends"];

/** How results are shown, and what besides them. */
export interface ReportOptions {
  readonly notes: WorkloadNotes;
  /** Whether charts show every contestant; default: five each. */
  readonly isAll?: boolean;
  /** Charts that do not come from the results, and sentences instead of those that are missing. */
  readonly more?: readonly (Chart | Html)[];
}

/** Builds the report: one HTML document that needs nothing but itself. */
export async function buildReport(
  results: readonly NamedResult[],
  { notes, isAll = false, more = [] }: ReportOptions,
): Promise<string> {
  const sources = sourcesOf(results);
  const present = [...sources.keys()].sort();
  const names = [...new Set([...foremost, ...expectedWorkloads, ...present])]
    .filter((name) => sources.has(name));
  const rows = names.flatMap((name) =>
    sources.get(name)!.rows.filter(({ workload }) => workload === name)
  );
  const absent = expectedWorkloads.filter((name) => !sources.has(name)).map(missing);
  const items = [
    ...names.map((name) => resultChart(sources.get(name)!, name, notes, isAll)),
    ...memoryCharts(sources, names, { orderOf: notes.order, isAll }),
    ...more,
    ...absent,
  ];
  const charts = items.filter((item): item is Chart => !(item instanceof Html));
  const sections: Html[] = [];
  for (const item of items) sections.push(item instanceof Html ? item : await chartSection(item));
  const peers = peerSection(rows);
  // What is said first is shown first; then what speaks against it.
  const [first = html``, ...rest] = charts.length > 0 ? sections : [html``, ...sections];
  const links = [
    ...charts.slice(0, 1),
    { id: "peers", title: peerTitle },
    ...charts.slice(1),
  ].map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`);
  const document = html`
    <!doctype html>
    <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta http-equiv="Content-Security-Policy"
        content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
      <link rel="icon" href="data:,">
      <title>hosepipe: what streams cost</title>
      <style>${new Html(pageStyle)}</style>
      <a class="skip" href="#main">Skip to the results</a>
      <header><h1>What streams cost</h1>
    ${opening(results)}
    <p>Measured by hosepipe's bench. Points are medians, bars the middle half of the samples; the tables
    have both, and how many samples (n). A ? marks fewer than 3 samples, a ! a time too near to the clock's own step. Figures hold
    for the machine and the versions named here, and for nothing else.</p>
      </header>
      <nav aria-label="Contents">
        <ul>${links}</ul>
      </nav>
      <main id="main">
    ${filters(rows)}
    ${first}
    ${peers}
    ${rest}
      </main>
      <footer>${provenanceSection(results)}</footer>
      <script>${new Html(pageScript)}</script>
    </html>
  `;
  return document.text.trimStart();
}
