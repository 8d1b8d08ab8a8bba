import { randomBytes } from "node:crypto";

/** A page and what it may do. */
export interface Page {
  readonly html: string;
  /** Its content security policy: its own style, its own script, its own server, and no frame around it. */
  readonly policy: string;
}

/** Makes the page. Nothing of the pipeline is in it; that comes as events. */
export function createPage(): Page {
  const nonce = randomBytes(16).toString("base64");
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>hosepipe</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${pageStyle}</style>
</head>
<body>
<main>
<h1 id="name">hosepipe</h1>
<p id="link" role="status">Connecting …</p>
<p id="summary" aria-live="polite"></p>
<ol id="hose" aria-label="The pipeline, from its source to its sink"></ol>
<p class="legend">
<span class="slot full"></span> a chunk
<span class="slot held"></span> its place, while it is being processed
<span class="slot"></span> room up to the highWaterMark
<span class="slot over"></span> a chunk beyond it
<span class="valve open"></span> gives
<span class="valve shut"></span> asked to pause
</p>
<p id="skipped"></p>
<h2 id="runs-title">Runs that have not ended</h2>
<pre id="runs" aria-labelledby="runs-title" tabindex="0"></pre>
<p id="recording"><a href="recording.jsonl" download>Save a recording</a>, which the playground opens.</p>
</main>
<script nonce="${nonce}">${pageScript}</script>
</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  return { html, policy };
}

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

/** What the page does: it draws each state that it hears. All text goes in as text, never as markup. */
export const pageScript = `
(() => {
  "use strict";
  const byId = (id) => document.getElementById(id);
  const hose = byId("hose");
  const most = 32;
  const seen = [];

  function element(name, className, text) {
    const made = document.createElement(name);
    made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  /** Setting the same text again would have it read out again. */
  function write(node, text) {
    if (node.textContent !== text) node.textContent = text;
  }

  function count(number) {
    return number.toLocaleString("en");
  }

  /** Chunks in a second, over the last two. */
  function rates(stages) {
    const now = performance.now();
    seen.push({ now, done: stages.map(({ done }) => done) });
    while (seen.length > 2 && now - seen[0].now > 2000) seen.shift();
    const first = seen[0];
    const seconds = (now - first.now) / 1000;
    return stages.map(({ done }, index) =>
      seconds > 0.2 && first.done[index] !== undefined ? (done - first.done[index]) / seconds : undefined
    );
  }

  /** One slot a chunk; where the mark is high or counts something else, a slot stands for a part of it. */
  function drawSlots(buffer) {
    const slots = element("div", "slots");
    const { count: chunks, size, highWaterMark, desiredSize } = buffer;
    const mark = typeof highWaterMark === "number" ? highWaterMark : 0;
    const isOne = mark <= most && Number.isInteger(mark) && (size === undefined || size === chunks);
    const unit = isOne ? 1 : mark / 16;
    const filled = Math.ceil((isOne ? chunks ?? 0 : size ?? 0) / (unit || 1));
    // What a stage has in hand keeps its place before it.
    const held = isOne && typeof desiredSize === "number" ? Math.max(0, mark - filled - desiredSize) : 0;
    const room = Math.round(mark / (unit || 1));
    for (let index = 0; index < Math.max(room, Math.min(filled + held, room + most)); index++) {
      if (index === room) slots.append(element("span", "mark"));
      const kind = index >= filled + held ? "" : index >= filled ? " held" : index < room || highWaterMark === "Infinity" ? " full" : " over";
      slots.append(element("span", "slot" + kind));
    }
    if (filled + held <= room) slots.append(element("span", "mark"));
    if (filled > room + most) slots.append(element("span", "figures", "+" + count(filled - room - most)));
    return slots;
  }

  function drawBuffer(buffer) {
    const { kind, count: chunks, size, highWaterMark, desiredSize } = buffer;
    const item = element("li", "buffer");
    item.dataset.buffer = kind;
    item.append(element("span", "", kind), drawSlots(buffer));
    const mark = highWaterMark === undefined ? "unknown" : highWaterMark === "Infinity" ? "none" : count(highWaterMark);
    const parts = [(chunks === undefined ? "unknown" : count(chunks)) + (chunks === 1 ? " chunk" : " chunks")];
    if (size !== undefined && size !== chunks) parts.push("size " + count(size));
    parts.push("highWaterMark " + mark);
    if (typeof desiredSize === "number") parts.push("desiredSize " + count(desiredSize));
    item.append(element("span", "figures", parts.join(", ")));
    return item;
  }

  function drawStage(stage, rate) {
    const { name, kind, done, inFlight, isPaused, state, busyShare, waitsFor, chunk, reason } = stage;
    const item = element("li", "stage" + (inFlight > 0 ? " busy" : "") + (state === "running" ? "" : " " + state));
    item.dataset.stage = name;
    const head = element("span", "");
    head.append(element("strong", "", name), kind === name ? "" : " (" + kind + ") ", " ");
    if (state === "running" && kind !== "writer") {
      const valve = element("span", "valve " + (isPaused ? "shut" : "open"));
      valve.setAttribute("role", "img");
      valve.setAttribute("aria-label", isPaused ? "asked to pause" : "gives");
      head.append(valve);
    }
    item.append(head);
    const verb = kind === "reader" ? "read" : kind === "writer" ? "written" : busyShare === undefined ? "taken" : "given";
    const parts = [verb + " " + count(done)];
    if (rate !== undefined && state === "running") parts.push(count(Math.round(rate)) + "/s");
    if (kind !== "reader") parts.push(inFlight + (kind === "writer" ? " being written" : " in hand"));
    if (busyShare !== undefined) parts.push("busy " + Math.round(busyShare * 100) + " %");
    item.append(element("span", "figures", parts.join(", ")));
    if (waitsFor !== undefined && state === "running") item.append(element("span", "figures", waitsFor));
    if (state !== "running") {
      item.append(element("span", "figures", state === "over" ? "ended" : reason === undefined ? "failed" : "failed: " + reason));
    }
    if (chunk !== undefined) item.append(element("span", "chunk", chunk));
    return item;
  }

  function draw({ skipped, state }) {
    document.title = state.name + " – hosepipe";
    write(byId("name"), state.name);
    write(byId("link"), state.isOver ? "The pipeline is over." : "Live.");
    write(byId("summary"), state.summary);
    byId("recording").hidden = state.isProbed === false;
    const allRates = rates(state.stages);
    const buffers = [...state.buffers];
    const items = state.stages.flatMap((stage, index) => {
      const own = buffers.filter((buffer) => buffer.stage === stage.name);
      return [
        ...own.filter(({ kind }) => kind.endsWith("In")).map(drawBuffer),
        drawStage(stage, allRates[index]),
        ...own.filter(({ kind }) => kind.endsWith("Out")).map(drawBuffer),
      ];
    });
    hose.replaceChildren(...items);
    write(byId("skipped"), skipped === 0 ? "" : "This page was slow: it missed " + count(skipped) + " states.");
  }

  const source = new EventSource("events");
  source.onmessage = ({ data }) => draw(JSON.parse(data));
  source.onerror = () => write(byId("link"), "The connection is lost; trying again …");
  const listRuns = async () => {
    try {
      const answer = await fetch("runs.txt");
      if (answer.ok) write(byId("runs"), await answer.text());
    } catch {
      // The line above says that the connection is lost.
    }
  };
  const timer = setInterval(() => document.hidden || listRuns(), 1000);
  listRuns();
  source.addEventListener("bye", () => {
    clearInterval(timer);
    source.close();
    write(byId("link"), "The program has closed this view; this is the last that was seen.");
  });
})();
`;
