/** How the page looks: on a phone, on a desk, by day and by night. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --paper: #fff; --ink: #16181d; --muted: #565d68; --line: #868e9a; --panel: #f3f5f7;
  --full: #0072b2; --over: #d55e00; --shut: #b3261e; --open: #007a58;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14161a; --ink: #eceef1; --muted: #a3abb6; --line: #7d8693; --panel: #1d2026;
    --full: #56b4e9; --over: #f0883e; --shut: #ff8a80; --open: #3fcf9f;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 90rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0; }
p { margin: .4rem 0; }
#link, #skipped, .legend { color: var(--muted); font-size: .9rem; }
a { color: var(--full); }
#summary { font-size: 1.15rem; min-height: 1.5em; }
#hose { list-style: none; margin: 1.2rem 0; padding: 0; display: flex; flex-wrap: wrap; gap: .6rem; align-items: stretch; }
#hose li { display: flex; flex-direction: column; min-width: 0; max-width: 100%; }
.stage { background: var(--panel); border: 2px solid var(--line); border-radius: .5rem; padding: .5rem .8rem; min-width: 9rem; }
.stage.busy { border-color: var(--full); }
.stage.failed { border-color: var(--shut); border-style: double; border-width: 4px; }
.stage.over { opacity: .75; }
.stage strong { font-size: 1.05rem; }
.buffer { padding: .5rem .2rem; justify-content: center; }
.figures { color: var(--muted); font-size: .85rem; font-variant-numeric: tabular-nums; }
.chunk { font: .85rem/1.4 ui-monospace, monospace; max-width: 22rem; }
.slots { display: flex; flex-wrap: wrap; gap: 2px; align-items: center; max-width: 22rem; min-height: 1.2rem; }
.slot { display: inline-block; width: 1rem; height: 1rem; border: 1.5px solid var(--line); border-radius: 2px; }
.slot.full { background: var(--full); border-color: var(--full); }
.slot.held { border-color: var(--full); background: linear-gradient(135deg, var(--full) 50%, transparent 50%); }
.slot.over { background: var(--over); border-color: var(--over); border-radius: 50%; }
.mark { display: inline-block; width: 3px; height: 1.4rem; background: var(--ink); }
.valve { display: inline-block; width: 1rem; height: 1rem; vertical-align: -.15em; border-radius: 50%; border: 3px solid var(--open); }
.valve.shut { border-color: var(--shut); background: linear-gradient(var(--shut), var(--shut)) center / 100% 3px no-repeat; }
.legend .slot { vertical-align: -.15em; margin-left: .7rem; }
.legend .valve { margin-left: .7rem; }
@media (max-width: 40rem) { #hose { flex-direction: column; } }
`;
