import { describeParams } from "../../bench/results/describe_params.ts";
import { formatDuration, threeDigits } from "../../bench/tables/format_duration.ts";
import type { Row } from "../../bench/results/result.ts";
import { ratioOfMedians } from "../../bench/results/statistics.ts";
import { type Html, html } from "./html.ts";
import { type Duel, duels } from "./peer_wins.ts";

function slowdown({ ours, peer }: Duel): number {
  return ratioOfMedians(ours, peer);
}

function isLost({ winner }: Duel): boolean {
  return winner === "peer";
}

function table(head: readonly string[], bodies: Html): Html {
  return html`
    <table class="wins">
      <thead>
        <tr>${head.map((title) => html`<th scope="col">${title}</th>`)}</tr>
      </thead>
      ${bodies}
    </table>
  `;
}

/** What becomes of all duels over one workload in one runtime, if any is lost. */
function summary(group: readonly Duel[]): { readonly worst: number; readonly line: Html }[] {
  const lost = group.filter(isLost).sort((one, other) => slowdown(other) - slowdown(one));
  const [worst] = lost;
  if (worst === undefined) return [];
  const { workload, runtime } = worst.peer;
  const peers = [...new Set(lost.map(({ peer }) => peer.contestant))].join(", ");
  const line = html`
    <tr data-runtime="${runtime}">
      <th scope="row">${workload}, ${runtime}</th>
      <td>${lost.length} of ${group.length}</td>
      <td>${peers}</td>
      <td>${threeDigits(slowdown(worst))}x</td>
    </tr>
  `;
  return [{ worst: slowdown(worst), line }];
}

function detail(duel: Duel): Html {
  const { ours, peer } = duel;
  return html`
    <tr data-runtime="${peer.runtime}">
      <th scope="row">${[describeParams(peer.params), peer.runtime].filter(Boolean).join(", ")}</th>
      <td>${peer.contestant}<small>${formatDuration(peer.median)}</small></td>
      <td>${ours.contestant}<small>${formatDuration(ours.median)}</small></td>
      <td>${threeDigits(slowdown(duel))}x</td>
    </tr>
  `;
}

function details(lost: readonly Duel[]): Html {
  const groups = Map.groupBy(lost, ({ peer }) => peer.workload);
  return html`${
    [...groups].map(([workload, duels]) =>
      html`
        <tbody><tr><th class="group" scope="rowgroup" colspan="4">${workload}</th></tr>${duels.map(
          detail,
        )}</tbody>
      `
    )
  }`;
}

function defeats(all: readonly Duel[]): Html {
  const lost = all.filter(isLost).sort((one, other) => slowdown(other) - slowdown(one));
  if (lost.length === 0) return html``;
  const groups = Map.groupBy(all, ({ peer }) => `${peer.workload} ${peer.runtime}`);
  const lines = [...groups.values()].flatMap(summary)
    .sort((one, other) => other.worst - one.worst).map(({ line }) => line);
  return html`
    ${table(["workload", "lost", "to", "slower by up to"], html`<tbody>${lines}</tbody>`)}
    <details><summary>Table: every duel that a peer wins</summary>${table(
      ["case", "fastest peer", "hosepipe", "slower by"],
      details(lost),
    )}</details>
  `;
}

/** What the section is called. */
export const peerTitle = "Where a peer wins";

/** Says where others are faster than this library, the clearest loss first. */
export function peerSection(rows: readonly Row[]): Html {
  const all = duels(rows);
  const lost = all.filter(isLost).length;
  const even = all.filter(({ winner }) => winner === "even").length;
  const opening = all.length === 0
    ? html`
      <p>No case of these results was run by hosepipe and by a peer: nothing to compare.</p>
    `
    : html`
      <p>A duel is one job with one set of parameters in one runtime: the fastest of hosepipe's
      contestants against the fastest of the others, the hand-written limit aside. Of ${all.length}
      duels, peers win ${lost}; ${even} may be chance, since the quartiles overlap; hosepipe wins
      ${all.length - lost - even}.</p>
    `;
  return html`
    <section id="peers"><h2>${peerTitle}</h2>
    ${opening} ${defeats(all)}
    </section>
  `;
}
