import { describeParams } from "../../bench/lib/describe_params.ts";
import { formatDuration, threeDigits } from "../../bench/lib/format_duration.ts";
import type { Row } from "../../bench/lib/result.ts";
import { ratioOfMedians } from "../../bench/lib/statistics.ts";
import { type Html, html } from "./html.ts";
import { type Duel, duels } from "./peer_wins.ts";

function line({ ours, peer }: Duel): Html {
  return html`
    <tr data-runtime="${peer.runtime}">
      <th scope="row">${peer.workload} ${describeParams(peer.params)}</th>
      <td>${peer.runtime}</td>
      <td>${peer.contestant}, ${formatDuration(peer.median)}</td>
      <td>${ours.contestant}, ${formatDuration(ours.median)}</td>
      <td>${threeDigits(ratioOfMedians(ours, peer))}x</td>
    </tr>
  `;
}

/** Says where somebody else is faster than this library, the clearest defeat first. */
export function peerSection(rows: readonly Row[]): Html {
  const all = duels(rows);
  const lost = all.filter(({ winner }) => winner === "peer").sort((one, other) =>
    ratioOfMedians(other.ours, other.peer) - ratioOfMedians(one.ours, one.peer)
  );
  const even = all.filter(({ winner }) => winner === "even").length;
  const opening = all.length === 0
    ? html`<p>No case of these results was run by hosepipe and by a peer: nothing to compare.</p>`
    : html`<p>A duel is one job with one set of parameters in one runtime: the fastest of hosepipe’s
contestants against the fastest of the others, the hand-written limit aside. Of ${all.length} duels,
peers win ${lost.length}; ${even} are not settled, since the quartiles overlap; hosepipe wins ${
      all.length - lost.length - even
    }.</p>`;
  const table = lost.length === 0 ? html`` : html`
    <div class="scroll" tabindex="0" role="group"
      aria-label="table, scrolls sideways">
      <table class="wins">
        <thead>
          <tr>
            <th scope="col">job</th>
            <th
              scope="col">runtime</th>
            <th scope="col">fastest peer</th>
            <th scope="col">hosepipe</th>
            <th
              scope="col">slower by</th>
          </tr>
        </thead>
        <tbody>${lost.map(line)}</tbody>
      </table>
    </div>
  `;
  return html`
    <section id="peers"><h2>Where a peer wins</h2>
    ${opening}
    ${table}
    </section>
  `;
}
