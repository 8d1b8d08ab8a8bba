/** How the report looks: on a phone, on a desk, on paper, by day and by night. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --paper: #fff; --ink: #16181d; --muted: #565d68; --grid: #e3e6ea; --panel: #f6f7f9; --link: #0059a8; --blue: #0072b2;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14161a; --ink: #eceef1; --muted: #a3abb6; --grid: #2f343c; --panel: #1d2026; --link: #7cc0ff; --blue: #56b4e9;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 4rem; }
body {
  margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 76rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: break-word;
}
.skip { position: absolute; left: -99rem; }
.skip:focus { position: static; }
h1 { font-size: 1.9rem; line-height: 1.15; margin: 0 0 .5rem; }
h2 { font-size: 1.35rem; line-height: 1.25; margin: 3rem 0 .4rem; }
h3 { font-size: 1rem; margin: 1.4rem 0 .3rem; overflow-wrap: anywhere; color: var(--muted); font-weight: 600; }
h3.variant { color: inherit; font-weight: 700; }
p, ul, dl { margin: .5rem 0; max-width: 44rem; }
a { color: var(--link); }
code { font: .85em/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
nav ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; max-width: none; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .15rem 1rem; }
dt { color: var(--muted); }
dd { margin: 0; overflow-wrap: anywhere; }
fieldset { border: 0; padding: 0; margin: .6rem 0; min-width: 0; display: flex; flex-wrap: wrap; gap: .15rem .9rem; }
legend { float: left; padding: 0; margin-right: .4rem; color: var(--muted); line-height: 1.9rem; }
label { display: inline-flex; align-items: center; gap: .35rem; min-height: 1.9rem; overflow-wrap: anywhere; }
input { margin: 0; width: 1rem; height: 1rem; accent-color: var(--link); flex: none; }
select { font: inherit; max-width: 100%; min-width: 0; padding: .2rem; }
button { font: inherit; padding: .15rem .7rem; }
.chooser label { display: flex; }
.filters {
  position: sticky; top: 0; z-index: 1; background: var(--paper);
  border-bottom: 1px solid var(--grid); padding: .3rem 0; display: flex; flex-wrap: wrap; gap: 0 1.5rem; align-items: center;
}
.filters fieldset { margin: 0; }
.swatch { width: 1.5rem; height: .75rem; flex: none; overflow: visible; fill: none; }
.panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: 1rem; align-items: start; }
figure { margin: 0; min-width: 0; background: var(--panel); border-radius: .5rem; padding: .6rem; }
figcaption { font-weight: 600; }
figure > svg { display: block; width: 100%; height: auto; max-width: 32rem; }
summary { cursor: pointer; color: var(--muted); font-size: .9rem; padding: .25rem 0; }
table { border-collapse: collapse; font-size: .85rem; line-height: 1.35; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .5rem; text-align: right; vertical-align: top; border-bottom: 1px solid var(--grid); }
td { white-space: nowrap; }
td small { display: block; color: var(--muted); font-size: .9em; white-space: normal; }
th:first-child { text-align: left; overflow-wrap: anywhere; min-width: 5rem; }
thead th { color: var(--muted); font-weight: 600; }
tbody th { font-weight: 600; }
tbody th.group { color: var(--muted); padding-top: .8rem; }
.wins :is(td, th) { text-align: left; white-space: normal; overflow-wrap: anywhere; }
.command { font-size: .9rem; color: var(--muted); max-width: none; }
.off, [hidden] { display: none !important; }
html:not(.scripted) :is(.filters, .chooser, .legend input) { display: none; }
@media (max-width: 40rem) { .filters { position: static; } html { scroll-padding-top: 0; } }
@media print {
  :root { --paper: #fff; --ink: #000; --muted: #444; --grid: #ccc; --panel: #fff; --link: #000; --blue: #0072b2; }
  html { font-size: 9pt; }
  body { max-width: none; padding: 0; }
  .filters, .chooser, nav, .legend input, .legend label:has(input:not(:checked)) { display: none; }
  main > section ~ section { break-before: page; }
  .opening { break-inside: avoid; break-after: avoid; }
  .panels { grid-template-columns: repeat(3, minmax(0, 1fr)); }
  figure { border: 1px solid var(--grid); padding: .3rem; }
  figure > svg, tr { break-inside: avoid; }
  h2, h3, figcaption, summary, tr:has(.group) { break-after: avoid; }
  details::details-content { content-visibility: visible; block-size: auto; }
  summary { list-style: none; }
  table { font-size: 7pt; }
  th, td { padding: .1rem .25rem; white-space: normal; }
}
`;
