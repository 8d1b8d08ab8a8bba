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
