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

function table(head: readonly string[], lines: readonly Html[]): Html {
  return html`
    <div class="scroll" tabindex="0" role="group" aria-label="table, scrolls sideways">
      <table class="wins">
        <thead>
          <tr>${head.map((title) => html`<th scope="col">${title}</th>`)}</tr>
        </thead>
        <tbody>${lines}</tbody>
      </table>
    </div>
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
      <th scope="row">${workload}</th>
      <td>${runtime}</td>
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
      <th scope="row">${peer.workload} ${describeParams(peer.params)}</th>
      <td>${peer.runtime}</td>
      <td>${peer.contestant}, ${formatDuration(peer.median)}</td>
      <td>${ours.contestant}, ${formatDuration(ours.median)}</td>
      <td>${threeDigits(slowdown(duel))}x</td>
    </tr>
  `;
}

function defeats(all: readonly Duel[]): Html {
  const lost = all.filter(isLost).sort((one, other) => slowdown(other) - slowdown(one));
  if (lost.length === 0) return html``;
  const groups = Map.groupBy(all, ({ peer }) => `${peer.workload} ${peer.runtime}`);
  const lines = [...groups.values()].flatMap(summary)
    .sort((one, other) => other.worst - one.worst).map(({ line }) => line);
  return html`
    ${table(["workload", "runtime", "lost", "to", "slower by up to"], lines)}
    <details><summary>Table: every duel that a peer wins</summary>${table(
      ["job", "runtime", "fastest peer", "hosepipe", "slower by"],
      lost.map(detail),
    )}</details>
  `;
}

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
      duels, peers win ${lost}; ${even} are not settled, since the quartiles overlap; hosepipe wins
      ${all.length - lost - even}.</p>
    `;
  return html`
    <section id="peers"><h2>Where a peer wins</h2>
    ${opening} ${defeats(all)}
    </section>
  `;
}
