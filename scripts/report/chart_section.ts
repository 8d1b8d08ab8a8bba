import { describeCase } from "../../bench/results/describe_case.ts";
import { isMeasured } from "../../bench/results/result.ts";
import { axisNote } from "./axis_note.ts";
import type { Chart, Panel, Table, TableRow } from "./chart.ts";
import { drawVariant, swatch } from "./draw_chart.ts";
import { type Html, html } from "./html.ts";
import { type SeriesStyle, seriesStyles } from "./series_styles.ts";

function tableOf({ head, groups }: Table, corner: string): Html {
  const line = ({ api, cells }: TableRow) =>
    html`
      <tr data-api="${api}"><th scope="row">${api}</th>${cells.map(({ text, details = [] }) =>
        html`<td>${text}${details.map((detail) => html`<small>${detail}</small>`)}</td>`
      )}</tr>
    `;
  const columns = head.length + 1;
  return html`
    <table>
      <thead>
        <tr><th scope="col">${corner}</th>${head.map((title) =>
          html`<th scope="col">${title}</th>`
        )}</tr>
      </thead>
      ${groups.map(({ heading, rows }) =>
        html`
          <tbody>${heading && html`
            <tr>
              <th class="group" scope="rowgroup" colspan="${columns}">${heading}</th>
            </tr>
          `}${rows.map(line)}</tbody>
        `
      )}
    </table>
  `;
}

function figure(chart: Chart, panel: Panel, picture: Html): Html {
  const corner = chart.kind === "steps" ? "demo" : "contestant";
  return html`
    <figure data-runtime="${panel.runtime}" data-api="${panel.api ?? ""}"><figcaption>${panel
      .heading}</figcaption>
    ${picture}
    <details><summary>Table: ${panel.heading}</summary>${tableOf(
      panel.table,
      corner,
    )}</details></figure>
  `;
}

function legend({ apis, kind }: Chart, styles: ReadonlyMap<string, SeriesStyle>): Html {
  return html`
    <fieldset class="legend"><legend>Contestants</legend>${apis.map((api) =>
      html`
        <label><input type="checkbox" data-filter="api" value="${api}" checked>${swatch(
          styles.get(api)!,
          kind,
        )}${api}</label>
      `
    )}</fieldset>
  `;
}

function failures({ failures }: Chart): Html {
  return failures.length === 0 ? html`` : html`
    <p>Failed:</p>
    <ul class="failures">${failures.map((row) =>
      html`<li data-api="${row.contestant}">${describeCase(row)}: ${
        isMeasured(row) ? "" : row.error
      }</li>`
    )}</ul>
  `;
}

function left({ left = [] }: Chart): Html {
  return left.length === 0 ? html`` : html`
    <p>Not shown: ${left.join(
      ", ",
    )}. <code>deno task report --all</code> shows every contestant.</p>
  `;
}

function chooser({ variants, id }: Chart): Html {
  return variants.length < 2 ? html`` : html`
    <p class="chooser"><label>Show <select data-choose="${id}">${variants.map(({ name }, index) =>
      html`<option value="${index}">${name}</option>`
    )}</select></label></p>
  `;
}

/** A chart as a section of the report: pictures, legend, tables, failures and provenance. */
export async function chartSection(chart: Chart): Promise<Html> {
  const styles = chart.styles ?? seriesStyles(chart.apis);
  const variants: Html[] = [];
  for (const [index, variant] of chart.variants.entries()) {
    const pictures = await drawVariant(chart, variant, `${chart.id}-${index}`, styles);
    const groups = variant.groups.map(({ heading, panels }) =>
      html`
        ${heading && html`<h3>${heading}</h3>`}<div class="panels">${panels.map((panel) =>
          figure(chart, panel, pictures.get(panel)!)
        )}</div>
      `
    );
    const heading = chart.variants.length > 1 ? html`<h3 class="variant">${variant.name}</h3>` : "";
    variants.push(html`
      <div data-variant="${index}">${heading}${groups}</div>
    `);
  }
  return html`
    <section id="${chart.id}"><div class="opening"><h2>${chart.title}</h2>
    <p>${chart.about} ${axisNote(chart)}</p>
    ${left(chart)}${chooser(chart)}${legend(chart, styles)}</div>${variants}${failures(
      chart,
    )}<p class="command">Measured by
    <code>${chart.command}</code></p>
    </section>
  `;
}
