import type { DemoApi, DemoDetail, DemoEvent, DemoOccupancy } from "../demo_event.ts";
import {
  bufferNames,
  drawHose,
  type HoseShape,
  paintBuffers,
  type Renderer,
  type RenderTarget,
} from "./hose_state.ts";
import type { Paint } from "./style.ts";

function percent(part: number, whole: number): string {
  return `${Math.round(part / whole * 100)} %`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

const apiNames: Readonly<Record<DemoApi, string>> = { web: "Web Streams", node: "node streams" };

/** What was read is somewhere. */
function readOf(occupancy: DemoOccupancy): number {
  return Object.values(occupancy).reduce((sum, count) => sum + count, 0);
}

/** Sums up a demo on one API, of nothing but its events. */
class WhatHappened {
  readonly #shape: HoseShape;
  #beforeFirst: DemoOccupancy | undefined;
  last: DemoEvent | undefined;
  /** Times in milliseconds: with a write in flight, with `readerOut` full, and writes in flight times time. */
  #writingMs = 0;
  #fullMs = 0;
  #writingArea = 0;
  #mostWriting = 0;

  constructor(shape: HoseShape) {
    this.#shape = shape;
  }

  add(event: DemoEvent): void {
    const { last = event } = this;
    const passedMs = event.timeMs - last.timeMs;
    const { writing, readerOut } = last.occupancy;
    if (writing > 0) this.#writingMs += passedMs;
    if (readerOut >= this.#shape.highWaterMark) this.#fullMs += passedMs;
    this.#writingArea += writing * passedMs;
    if (event.event === "written") this.#beforeFirst ??= last.occupancy;
    this.#mostWriting = Math.max(this.#mostWriting, event.occupancy.writing);
    this.last = event;
  }

  /** Three sentences at most. */
  sentences(): string[] {
    const { api, occupancy, timeMs } = this.last!;
    const { messages } = this.#shape;
    const read = readOf(occupancy);
    const amount = `On ${apiNames[api]} ${read === messages ? "all" : `${read} of`} ${messages}`;
    if (occupancy.written === 0) {
      return [
        `${amount} messages were read, and none was written.`,
        `They stand in ${this.#places(occupancy)}.`,
        "Then nothing moved any more: full buffers stop the source, and nothing empties them.",
      ];
    }
    const elapsed = timeMs < 50 ? "" : `, in ${seconds(timeMs)}`;
    return [
      `${amount} messages were read and ${occupancy.written} written${elapsed}.`,
      this.#first(this.#beforeFirst!),
      this.#flight(timeMs),
    ];
  }

  #places(occupancy: DemoOccupancy): string {
    return bufferNames.map((name) => `${name} ${occupancy[name]} of ${this.#shape.highWaterMark}`)
      .join(", ");
  }

  #first(occupancy: DemoOccupancy): string {
    const { writing } = occupancy;
    const hands = writing === 1 ? "1 was being written" : `${writing} were being written`;
    const read = readOf(occupancy);
    const count = read === 1 ? "1 message" : `${read} messages`;
    return this.#shape.writer === "fast"
      ? `When the first write had ended, ${count} had been read: nothing queued up.`
      : `Until the first write had ended, ${count} had been read: ${this.#places(occupancy)}, ` +
        `and ${hands}.`;
  }

  #flight(elapsedMs: number): string {
    if (this.#writingMs === 0 || elapsedMs === 0) return "No message waited for a write.";
    const mean = (this.#writingArea / elapsedMs).toFixed(1);
    const share = this.#mostWriting === 1
      ? `A write was in flight ${percent(this.#writingMs, elapsedMs)} of the time`
      : `Over that time ${mean} writes were in flight on average, ${this.#mostWriting} at most`;
    const full = percent(this.#fullMs, elapsedMs);
    return `${share}; readerOut was full, so that the source paused, ${full} of it.`;
  }
}

/** Of one API, where both stand beside each other. */
const halfWidth = 38;
const nameWidth = 16;

/** What the three stages do, as far as their buffers say. */
function activities(
  { hose, occupancy }: DemoEvent,
  ended: ReadonlySet<string>,
  { highWaterMark, messages, writer: kind }: HoseShape,
): readonly string[] {
  const { readerOut, transformerIn, transformerOut, writing } = occupancy;
  const reader = readOf(occupancy) === messages
    ? "has read all"
    : readerOut >= highWaterMark
    ? "waits for room"
    : "reads";
  const transformer = transformerIn === 0
    ? "waits for messages"
    : transformerOut >= highWaterMark
    ? "waits for room"
    : "transforms";
  const writer = writing === 0
    ? "waits for messages"
    : writing === 1
    ? `writes ${hose.writer[0]}`
    : `writes ${writing} at once`;
  return Object.entries({ reader, transformer, writer }).map(([stage, doing]) =>
    stage === "writer" && kind === "none" ? "is missing" : ended.has(stage) ? "has ended" : doing
  );
}

/** The buffers and what each stage does, redrawn in place; only for terminals. */
function liveRenderer({ write, columns = 80, style }: RenderTarget, shape: HoseShape): Renderer {
  // One less: a full line would make some terminals begin the next.
  const width = columns - 1;
  const drawn = new Map<DemoApi, { readonly ended: Set<string>; readonly lines: string[] }>();
  let height = 0;
  return {
    onEvent(event) {
      const { api, timeMs, occupancy, hose } = event;
      const { ended = new Set<string>() } = drawn.get(api) ?? {};
      if (event.id === null) ended.add(event.stage);
      const [reader, transformer, writer] = activities(event, ended, shape);
      const row = (name: string, what: string) => `${name.padEnd(nameWidth)} ${what}`;
      const cells = drawHose(event, shape);
      const buffers = bufferNames.map((name, index) => row(`  ${name}`, cells[index]!));
      const { readerOut, transformerIn, written } = occupancy;
      const read = readOf(occupancy);
      const transformed = read - readerOut - transformerIn + hose.transformer.length;
      const lines = [
        `${apiNames[api]}, ${seconds(timeMs)}`,
        row("reader", reader!),
        ...buffers.slice(0, 2),
        row("transformer", transformer!),
        ...buffers.slice(2),
        row("writer", writer!),
        `read ${read}, transformed ${transformed}, written ${written}`,
      ];
      drawn.set(api, { ended, lines });
      const [one, other] = Array.from(drawn.values(), ({ lines }) => lines);
      const shown = other === undefined || width < 2 * halfWidth
        ? [...one!, ...other ?? []]
        : one!.map((line, index) => `${line.padEnd(halfWidth)}${other[index]}`);
      const up = height > 0 ? `\x1b[${height}A` : "";
      const painted = shown.map((line) => paintBuffers(line.slice(0, width), style));
      write(`${up}\r\x1b[J${painted.join("\n")}\n`);
      height = shown.length;
    },
    onDetail() {},
    end() {},
  };
}

const edge = "++++++++++";

const marks: Record<string, string> = {
  read: "++ ID Read",
  transform: "++++ ID Transform",
  write: "++++++ ID Write",
  written: "------ ID Write finished",
  end: `${edge} READ End`,
};

/** One event in the article's notation, such as `++++ 1 Transform`. */
function describeEvent({ event, stage, id }: DemoEvent): string {
  if (event !== "final") return marks[event]!.replace("ID", id ?? "");
  return `${edge} ${stage === "writer" ? "WRITE" : "TRANSFORM"} Final`;
}

/** How an event is painted. */
function paintOf({ event }: DemoEvent): Paint {
  return event === "end" || event === "final" ? "edge" : event;
}

/** What there is to say besides: the answer, and `writing:written` as in the article. */
function describeAnswer({ event, answer = "", occupancy }: DemoEvent): string {
  if (event === "write" || event === "written") return `${occupancy.writing}:${occupancy.written}`;
  return answer;
}

/** Breaks a text into lines of at most `columns`; a word that is longer is broken, and nothing is left out. */
function wrapWords(text: string, columns: number): string[] {
  const lines = [""];
  for (let word of text.split(" ")) {
    const last = lines.at(-1)!;
    const joined = last === "" ? word : `${last} ${word}`;
    if (joined.length <= columns) {
      lines[lines.length - 1] = joined;
      continue;
    }
    if (last === "") lines.pop();
    for (; word.length > columns; word = word.slice(columns)) lines.push(word.slice(0, columns));
    lines.push(word);
  }
  return lines;
}

/** The lines of one event, and of what happens between two. */
interface Lines {
  event(event: DemoEvent): string[];
  detail?(detail: DemoDetail): string[];
}

/** Prints lines as they come. */
function printer({ write }: RenderTarget, { event, detail }: Lines): Renderer {
  const print = (lines: readonly string[] = []) => lines.forEach((line) => write(`${line}\n`));
  return {
    onEvent: (one) => print(event(one)),
    onDetail: (one) => print(detail?.(one)),
    end() {},
  };
}

/** An event, and what happened after it and before the next. */
interface DetailedEvent {
  readonly event: DemoEvent;
  readonly details: DemoDetail[];
}

/** Brings the events of both APIs together by their numbers; an API that has ended leaves its side empty. */
function eventPairs(show: (web?: DetailedEvent, node?: DetailedEvent) => void): Renderer {
  const events: Record<DemoApi, DetailedEvent[]> = { web: [], node: [] };
  const { web, node } = events;
  let shown = 0;
  const showUntil = (end: number): void => {
    for (; shown < end; shown++) show(web[shown], node[shown]);
  };
  return {
    onEvent(event) {
      events[event.api].push({ event, details: [] });
      // The last of each may still get details.
      showUntil(Math.min(web.length, node.length) - 1);
    },
    onDetail: (detail) => void events[detail.api].at(-1)?.details.push(detail),
    end: () => showUntil(Math.max(web.length, node.length)),
  };
}

/** Hands the events of both APIs on in the order of their numbers, Web first. */
function inTurns(...renderers: readonly Renderer[]): Renderer {
  return eventPairs((...pair) => {
    for (const [index, one] of pair.entries()) {
      if (one === undefined) continue;
      renderers[index]!.onEvent(one.event);
      for (const detail of one.details) renderers[index]!.onDetail(detail);
    }
  });
}

const labelWidth = 16;
/** Room for what a stage learned. */
const answerWidth = 10;
/** After so many events the names stand there again. */
const repeat = 20;

/**
 * The buffers after each event, in columns: each as wide as its name, and as its slots with some more beyond the mark.
 * Where those have no room beside the event, below it; and where they have none at all, each with its name.
 */
function diagramLines(
  { style, columns = Infinity }: RenderTarget,
  shape: HoseShape,
  hasNames = true,
): Lines {
  const { highWaterMark } = shape;
  const slots = highWaterMark > 8 ? 11 + 2 * `${highWaterMark}`.length : highWaterMark + 4;
  const row = (cells: readonly string[]) =>
    cells.map((cell, index) => cell.padEnd(Math.max(bufferNames[index]!.length, slots))).join(" ");
  const { length: width } = row(bufferNames);
  const isBeside = labelWidth + width + answerWidth + 2 <= columns;
  const hasColumns = isBeside || width + 2 <= columns;
  const names = " ".repeat(isBeside ? labelWidth + 1 : 2) + row(bufferNames);
  let count = 0;
  return {
    event(event) {
      const isNamed = hasNames && hasColumns && count++ % repeat === 0;
      const lines = isNamed ? [style("detail", names.trimEnd())] : [];
      const label = event.id === null ? `${event.stage} ends` : `${event.event} ${event.id}`;
      const gap = " ".repeat(Math.max(1, labelWidth + 1 - label.length));
      const painted = style(paintOf(event), label) + gap;
      const answer = describeAnswer(event);
      const cells = drawHose(event, shape);
      if (isBeside) {
        return [...lines, `${painted}${paintBuffers(row(cells), style)} ${answer}`.trimEnd()];
      }
      const named = cells.map((cell, index) => `${bufferNames[index]}\u00a0${cell}`).join(" ");
      const rows = hasColumns ? [row(cells)] : wrapWords(named, columns - 2);
      const below = rows.map((text) => text.trimEnd().replaceAll("\u00a0", " "));
      return [
        ...lines,
        `${painted}${answer}`.trimEnd(),
        ...below.map((text) => `  ${paintBuffers(text, style)}`),
      ];
    },
    detail: ({ text, isWait }) => isWait ? [style("detail", text)] : [],
  };
}

/** The buffers of Web and node one above the other, event by event. */
function stackedDiagram(target: RenderTarget, shape: HoseShape): Renderer {
  const { write, style, columns = Infinity } = target;
  const show = (name: string, hasNames: boolean) =>
    printer(
      { ...target, write: (text) => write(`${style("detail", name)} ${text}`) },
      diagramLines({ ...target, columns: columns - 5 }, shape, hasNames),
    );
  return inTurns(show("web ", true), show("node", false));
}

type Cell = readonly [paint: Paint, text: string];

/** The logs of Web and node in two columns, event by event. */
function sideBySideLog({ write, style, columns = 80 }: RenderTarget): Renderer {
  const width = Math.min(36, Math.max(16, Math.floor((columns - 7) / 2)));
  const row = (number: string, [paint, text]: Cell = ["detail", ""], right?: Cell): void => {
    const padding = " ".repeat(Math.max(0, width - text.length));
    const rightSide = right === undefined ? "" : style(...right);
    write(`${`${number.padStart(3)} ${style(paint, text)}${padding} | ${rightSide}`.trimEnd()}\n`);
  };
  /** The lines of one side: the event with its answer, and what came after it; what has no room goes below. */
  const cells = (entry: DetailedEvent | undefined): Cell[] => {
    if (entry === undefined) return [];
    const { event, details } = entry;
    const below = (paint: Paint, text: string) =>
      wrapWords(text, width - 2).map((line): Cell => [paint, `  ${line}`]);
    const whole = `${describeEvent(event)} ${describeAnswer(event)}`.trimEnd();
    const [first, ...rest] = wrapWords(whole, width);
    return [
      [paintOf(event), first!],
      ...rest.flatMap((text) => below(paintOf(event), text)),
      ...details.flatMap(({ text }) => below("detail", text)),
    ];
  };
  row("", ["edge", "WEB"], ["edge", "NODE"]);
  return eventPairs((web, node) => {
    const [left, right] = [cells(web), cells(node)];
    for (let line = 0; line < Math.max(left.length, right.length); line++) {
      row(line === 0 ? String((web ?? node)!.event.seq) : "", left[line], right[line]);
    }
  });
}

/** One line per event, and a dim one for what happens between. */
function log(target: RenderTarget): Renderer {
  const { write, style } = target;
  write(`${style("edge", `${edge} READ Start`)}\n`);
  return printer(target, {
    event(event) {
      const answer = describeAnswer(event);
      const line = style(paintOf(event), describeEvent(event));
      return [answer === "" ? line : `${line} ${style("detail", answer)}`];
    },
    detail: ({ text }) => [style("detail", `      ${text}`)],
  });
}

/** A pause that is shorter is none that one would see. */
const shortestMs = 20;

function describeWait(waitMs: number, { occupancy: { writing } }: DemoEvent): string {
  const inFlight = writing === 1 ? "1 write in flight" : `${writing} writes in flight`;
  return `… ${Math.round(waitMs)} ms${writing > 0 ? `, ${inFlight}` : ""}`;
}

/** Puts a legend before what a renderer shows, between two events how long nothing has happened, and then what happened. */
function withStory(
  legend: string,
  { write, style, columns = 80 }: RenderTarget,
  shape: HoseShape,
  create: () => Renderer,
): Renderer {
  const title = `${shape.number} ${shape.title}, highWaterMark ${shape.highWaterMark}`;
  const head = [title, legend].flatMap((text) => wrapWords(text, columns));
  write(`${head.map((line) => `${style("detail", line)}\n`).join("")}\n`);
  const renderer = create();
  const stories = new Map<DemoApi, WhatHappened>();
  return {
    onEvent(event) {
      const story = stories.get(event.api) ?? new WhatHappened(shape);
      stories.set(event.api, story);
      const { last = event } = story;
      const waitMs = event.timeMs - last.timeMs;
      if (waitMs >= shortestMs) {
        renderer.onDetail({ api: event.api, text: describeWait(waitMs, last), isWait: true });
      }
      story.add(event);
      renderer.onEvent(event);
    },
    onDetail: (detail) => renderer.onDetail(detail),
    end() {
      renderer.end();
      for (const api of ["web", "node"] as const) {
        const story = stories.get(api);
        if (story === undefined) continue;
        const text = `What happened: ${story.sentences().join(" ")}`;
        write(`\n${wrapWords(text, columns).join("\n")}\n`);
      }
    },
  };
}

const slots = "Legend: ■ waiting, ▣ being processed, □ free, +2: two more than the highWaterMark.";
const answers =
  "desired:0 (Web) and push:false (node) ask a stage to pause; 1:3 is 1 being written, 3 written.";

/** What the signs of a format mean. */
const legends: Readonly<Record<"log" | "diagram" | "live", string>> = {
  log: "Legend: ++ a read, ++++ a transform, ++++++ a write begins, ------ it has ended, " +
    `… time in which nothing happens; ${answers}`,
  diagram: `${slots} The answers ${answers}`,
  live: `${slots} Messages go from top to bottom.`,
};

/** One JSON object a line, for programs; with the API in front, where events of both come. */
function jsonl(target: RenderTarget, isBoth: boolean): Renderer {
  const renderer = printer(target, {
    event({ api, seq, timeMs, stage, event, id, occupancy }) {
      const line = { seq, timeMs, stage, event, id, occupancy };
      return [JSON.stringify(isBoth ? { api, ...line } : line)];
    },
  });
  return isBoth ? inTurns(renderer, renderer) : renderer;
}

/** How a demo may be shown. */
export const demoFormats = ["log", "diagram", "live", "jsonl"] as const;

/** The name of a format, as `--format` takes it. */
export type DemoFormat = (typeof demoFormats)[number];

/** Makes what shows a demo of one API, or, if `isBoth`, of both beside each other. */
export function createRenderer(
  format: DemoFormat,
  target: RenderTarget,
  isBoth: boolean,
  shape: HoseShape,
): Renderer {
  if (format === "jsonl") return jsonl(target, isBoth);
  const create = {
    log: () => isBoth ? sideBySideLog(target) : log(target),
    diagram: () =>
      isBoth ? stackedDiagram(target, shape) : printer(target, diagramLines(target, shape)),
    live: () => liveRenderer(target, shape),
  }[format];
  return withStory(legends[format], target, shape, create);
}
