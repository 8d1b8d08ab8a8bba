/** How the report looks: on a phone, on a desk, on paper, by day and by night. */
export const pageStyle = `
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
