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

/** Sums up a demo on one API, of nothing but its events. */
class WhatHappened {
  readonly #shape: HoseShape;
  #read = 0;
  #beforeFirst: { readonly read: number; readonly occupancy: DemoOccupancy } | undefined;
  #last: DemoEvent | undefined;
  /** Times in milliseconds: with a write in flight, with `readerOut` full, and writes in flight times time. */
  #writingMs = 0;
  #fullMs = 0;
  #writingArea = 0;
  #mostWriting = 0;

  constructor(shape: HoseShape) {
    this.#shape = shape;
  }

  add(event: DemoEvent): void {
    const last = this.#last;
    if (last !== undefined) {
      const passedMs = event.timeMs - last.timeMs;
      const { writing, readerOut } = last.occupancy;
      if (writing > 0) this.#writingMs += passedMs;
      if (readerOut >= this.#shape.highWaterMark) this.#fullMs += passedMs;
      this.#writingArea += writing * passedMs;
    }
    if (event.event === "read") this.#read++;
    if (event.event === "written" && this.#beforeFirst === undefined) {
      this.#beforeFirst = { read: this.#read, occupancy: (last ?? event).occupancy };
    }
    this.#mostWriting = Math.max(this.#mostWriting, event.occupancy.writing);
    this.#last = event;
  }

  /** Three sentences at most. */
  sentences(): string[] {
    const last = this.#last;
    if (last === undefined) return ["Nothing happened."];
    const { messages } = this.#shape;
    const { written } = last.occupancy;
    const name = apiNames[last.api];
    const amount = this.#read === messages ? `all ${messages}` : `${this.#read} of ${messages}`;
    if (written === 0) {
      return [
        `On ${name} ${amount} messages were read, and none was written.`,
        `They stand in ${this.#places(last.occupancy)}.`,
        "Then nothing moved any more: full buffers stop the source, and nothing empties them.",
      ];
    }
    return [
      `On ${name} ${amount} messages were read and ${written} written` +
      `${last.timeMs < 50 ? "" : `, in ${seconds(last.timeMs)}`}.`,
      ...this.#first(),
      ...this.#flight(last.timeMs),
    ];
  }

  #places(occupancy: DemoOccupancy): string {
    return bufferNames.map((name) => `${name} ${occupancy[name]} of ${this.#shape.highWaterMark}`)
      .join(", ");
  }

  #first(): string[] {
    if (this.#beforeFirst === undefined) return [];
    const { read, occupancy } = this.#beforeFirst;
    const { writing } = occupancy;
    const hands = writing === 1 ? "1 was being written" : `${writing} were being written`;
    const count = read === 1 ? "1 message" : `${read} messages`;
    if (this.#shape.writer === "fast") {
      return [`When the first write had ended, ${count} had been read: nothing queued up.`];
    }
    return [
      `Until the first write had ended, ${count} had been read: ${this.#places(occupancy)}, ` +
      `and ${hands}.`,
    ];
  }

  #flight(elapsedMs: number): string[] {
    if (this.#writingMs === 0 || elapsedMs === 0) return ["No message waited for a write."];
    const full = `readerOut was full, so that the source paused, ${
      percent(this.#fullMs, elapsedMs)
    } of it`;
    if (this.#mostWriting === 1) {
      return [
        `A write was in flight ${percent(this.#writingMs, elapsedMs)} of the time; ${full}.`,
      ];
    }
    const mean = (this.#writingArea / elapsedMs).toFixed(1);
    return [
      `Over that time ${mean} writes were in flight on average, ${this.#mostWriting} at most; ${full}.`,
    ];
  }
}

/** What has been seen of one API. */
interface Seen {
  readonly event: DemoEvent;
  readonly read: number;
  readonly transformed: number;
  /** The stages that have ended. */
  readonly ended: ReadonlySet<string>;
}

const titles: Readonly<Record<DemoApi, string>> = { web: "Web Streams", node: "node streams" };
/** Of one API, where both stand beside each other. */
const halfWidth = 38;
const nameWidth = 16;

/** What the three stages do, as far as their buffers say. */
function activities({ event, read, ended }: Seen, shape: HoseShape): readonly string[] {
  const { highWaterMark, messages } = shape;
  const { readerOut, transformerIn, transformerOut, writing } = event.occupancy;
  const reader = ended.has("reader")
    ? "has ended"
    : read === messages
    ? "has read all"
    : readerOut >= highWaterMark
    ? "waits for room"
    : "reads";
  const transformer = ended.has("transformer")
    ? "has ended"
    : transformerIn === 0
    ? "waits for messages"
    : transformerOut >= highWaterMark
    ? "waits for room"
    : "transforms";
  const writer = shape.writer === "none"
    ? "is missing"
    : ended.has("writer")
    ? "has ended"
    : writing === 0
    ? "waits for messages"
    : writing === 1
    ? `writes ${event.hose.writer[0]}`
    : `writes ${writing} at once`;
  return [reader, transformer, writer];
}

/** The buffers and what each stage does, redrawn in place; only for terminals. */
class LiveRenderer implements Renderer {
  readonly #target: RenderTarget;
  readonly #shape: HoseShape;
  readonly #last = new Map<DemoApi, Seen>();
  #height = 0;

  constructor(target: RenderTarget, shape: HoseShape) {
    this.#target = target;
    this.#shape = shape;
  }

  onEvent(event: DemoEvent): void {
    const { read = 0, transformed = 0, ended = new Set<string>() } = this.#last.get(event.api) ??
      {};
    const isEnd = event.event === "end" || event.event === "final";
    this.#last.set(event.api, {
      event,
      read: read + (event.event === "read" ? 1 : 0),
      transformed: transformed + (event.event === "transform" ? 1 : 0),
      ended: isEnd ? new Set([...ended, event.stage]) : ended,
    });
    this.#draw();
  }

  onDetail(): void {}

  end(): void {}

  #linesOf(seen: Seen): string[] {
    const { event: { api, timeMs, occupancy, hose }, read, transformed } = seen;
    const drawn = drawHose({ occupancy, hose }, this.#shape);
    const [reader, transformer, writer] = activities(seen, this.#shape);
    const row = (name: string, what: string) => `${name.padEnd(nameWidth)} ${what}`;
    const buffers = bufferNames.map((name) => row(`  ${name}`, drawn[name]));
    return [
      `${titles[api]}, ${(timeMs / 1000).toFixed(1)} s`,
      row("reader", reader!),
      ...buffers.slice(0, 2),
      row("transformer", transformer!),
      ...buffers.slice(2),
      row("writer", writer!),
      `read ${read}, transformed ${transformed}, written ${occupancy.written}`,
    ];
  }

  #draw(): void {
    const { write, columns = 80, style } = this.#target;
    // One less: a full line would make some terminals begin the next.
    const width = columns - 1;
    const parts = [...this.#last.values()].map((seen) => this.#linesOf(seen));
    const [one = [], other] = parts;
    const lines = other !== undefined && width >= 2 * halfWidth
      ? one.map((line, index) => `${line.padEnd(halfWidth)}${other[index]}`)
      : parts.flat();
    const shown = lines.map((line) => paintBuffers(line.slice(0, width), style));
    const up = this.#height > 0 ? `\x1b[${this.#height}A` : "";
    write(`${up}\r\x1b[J${shown.join("\n")}\n`);
    this.#height = shown.length;
  }
}

const edge = "++++++++++";

/** The line that opens a log. */
const startLine = `${edge} READ Start`;

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
function describeAnswer({ event, answer, occupancy }: DemoEvent): string | undefined {
  if (event === "write" || event === "written") return `${occupancy.writing}:${occupancy.written}`;
  return answer;
}

/** Breaks a text into lines of at most `columns`; a word that is longer is broken, and nothing is left out. */
export function wrapWords(text: string, columns: number): string[] {
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

/** The buffers in fixed places: each in a column as wide as its name, and as its slots with some more beyond the mark. */
class HoseColumns {
  readonly #shape: HoseShape;
  readonly #widths: readonly number[];

  constructor(shape: HoseShape) {
    this.#shape = shape;
    const { highWaterMark } = shape;
    const slots = highWaterMark > 8 ? 11 + 2 * `${highWaterMark}`.length : highWaterMark + 4;
    this.#widths = bufferNames.map((name) => Math.max(name.length, slots));
  }

  /** How wide a row is. */
  get width(): number {
    return this.#widths.reduce((sum, width) => sum + width + 1, -1);
  }

  /** The names, to stand above. */
  names(): string {
    return this.#row(bufferNames);
  }

  /** The buffers after an event, below their names. */
  row(event: Pick<DemoEvent, "occupancy" | "hose">): string {
    const drawn = drawHose(event, this.#shape);
    return this.#row(bufferNames.map((name) => drawn[name]));
  }

  /** The same where columns are too wide: each with its name, in lines of at most `columns`. */
  labelled(event: Pick<DemoEvent, "occupancy" | "hose">, columns: number): string[] {
    const drawn = drawHose(event, this.#shape);
    return wrapWords(bufferNames.map((name) => `${name}\u00a0${drawn[name]}`).join(" "), columns)
      .map((line) => line.replaceAll("\u00a0", " "));
  }

  #row(cells: readonly string[]): string {
    return cells.map((cell, index) => cell.padEnd(this.#widths[index]!)).join(" ");
  }
}

/** An event in few words, such as `transform 6` or `writer ends`. */
function labelOf({ event, stage, id }: DemoEvent): string {
  return id === null ? `${stage} ends` : `${event} ${id}`;
}

const labelWidth = 16;
/** Room for what a stage learned. */
const answerWidth = 10;
/** After so many events the names stand there again. */
const repeat = 20;

/** The buffers after each event, in columns; where those have no room beside the event, below it. */
class DiagramRenderer implements Renderer {
  readonly #target: RenderTarget;
  readonly #hose: HoseColumns;
  readonly #columns: number;
  readonly #hasNames: boolean;
  #count = 0;

  /** Without `names`, they stand somewhere else. */
  constructor(target: RenderTarget, shape: HoseShape, hasNames = true) {
    this.#hasNames = hasNames;
    this.#target = target;
    this.#hose = new HoseColumns(shape);
    this.#columns = target.columns ?? Infinity;
  }

  onEvent(event: DemoEvent): void {
    const { style, write } = this.#target;
    const hose = this.#hose;
    const isBeside = labelWidth + hose.width + answerWidth + 2 <= this.#columns;
    const isBelow = !isBeside && hose.width + 2 <= this.#columns;
    if (this.#hasNames && this.#count++ % repeat === 0 && (isBeside || isBelow)) {
      const names = " ".repeat(isBeside ? labelWidth + 1 : 2) + hose.names();
      write(`${style("detail", names.trimEnd())}\n`);
    }
    const label = labelOf(event);
    const answer = describeAnswer(event) ?? "";
    const painted = style(paintOf(event), label);
    const gap = " ".repeat(Math.max(1, labelWidth + 1 - label.length));
    if (isBeside) {
      const row = `${paintBuffers(hose.row(event), style)} ${answer}`;
      write(`${`${painted}${gap}${row}`.trimEnd()}\n`);
      return;
    }
    const rows = isBelow ? [hose.row(event)] : hose.labelled(event, this.#columns - 2);
    write(`${painted}${answer === "" ? "" : `${gap}${answer}`}\n`);
    for (const row of rows) write(`  ${paintBuffers(row.trimEnd(), style)}\n`);
  }

  onDetail({ text, isWait }: DemoDetail): void {
    if (isWait) this.#target.write(`${this.#target.style("detail", text)}\n`);
  }

  end(): void {}
}

/** A pause that is shorter is none that one would see. */
const shortestMs = 20;

function describeWait(waitMs: number, { occupancy: { writing } }: DemoEvent): string {
  const inFlight = writing === 1 ? "1 write in flight" : `${writing} writes in flight`;
  return `… ${Math.round(waitMs)} ms${writing > 0 ? `, ${inFlight}` : ""}`;
}

/** Says between two events how long nothing has happened. */
function withWaits(renderer: Renderer): Renderer {
  const last = new Map<DemoApi, DemoEvent>();
  return {
    onEvent(event: DemoEvent): void {
      const before = last.get(event.api);
      const waitMs = before === undefined ? 0 : event.timeMs - before.timeMs;
      if (before !== undefined && waitMs >= shortestMs) {
        renderer.onDetail({ api: event.api, text: describeWait(waitMs, before), isWait: true });
      }
      last.set(event.api, event);
      renderer.onEvent(event);
    },
    onDetail: (detail: DemoDetail) => renderer.onDetail(detail),
    end: () => renderer.end(),
  };
}

/** Puts a legend before what a renderer shows, and after it what happened. */
function withStory(
  legend: string,
  target: RenderTarget,
  shape: HoseShape,
  create: () => Renderer,
): Renderer {
  const { write, style, columns = 80 } = target;
  const say = (text: string): void => {
    for (const line of wrapWords(text, columns)) write(`${style("detail", line)}\n`);
  };
  say(`${shape.number} ${shape.title}, highWaterMark ${shape.highWaterMark}`);
  say(legend);
  write("\n");
  const renderer = create();
  const stories = new Map<DemoApi, WhatHappened>();
  return {
    onEvent(event: DemoEvent): void {
      const story = stories.get(event.api) ?? new WhatHappened(shape);
      stories.set(event.api, story);
      story.add(event);
      renderer.onEvent(event);
    },
    onDetail: (detail: DemoDetail) => renderer.onDetail(detail),
    end(): void {
      renderer.end();
      const inOrder = [...stories].sort(([one], [other]) => one < other ? 1 : -1);
      for (const [, story] of inOrder) {
        write("\n");
        const text = `What happened: ${story.sentences().join(" ")}`;
        for (const line of wrapWords(text, columns)) write(`${line}\n`);
      }
    },
  };
}

/** An event, and what happened after it and before the next. */
interface DetailedEvent {
  readonly event: DemoEvent;
  readonly details: DemoDetail[];
}

/** Brings the events of both APIs together by their numbers; an API that has ended leaves its side empty. */
class EventPairs implements Renderer {
  readonly #show: (web: DetailedEvent | undefined, node: DetailedEvent | undefined) => void;
  readonly #events: Record<DemoApi, DetailedEvent[]> = { web: [], node: [] };
  #shown = 0;

  constructor(show: (web?: DetailedEvent, node?: DetailedEvent) => void) {
    this.#show = show;
  }

  onEvent(event: DemoEvent): void {
    this.#events[event.api].push({ event, details: [] });
    const { web, node } = this.#events;
    // The last of each may still get details.
    this.#showUntil(Math.min(web.length, node.length) - 1);
  }

  onDetail(detail: DemoDetail): void {
    this.#events[detail.api].at(-1)?.details.push(detail);
  }

  end(): void {
    const { web, node } = this.#events;
    this.#showUntil(Math.max(web.length, node.length));
  }

  #showUntil(end: number): void {
    const { web, node } = this.#events;
    for (; this.#shown < end; this.#shown++) this.#show(web[this.#shown], node[this.#shown]);
  }
}

/** The buffers of Web and node one above the other, event by event. */
function stackedDiagram(target: RenderTarget, shape: HoseShape): Renderer {
  const { write, style, columns } = target;
  const show = (name: string, hasNames: boolean) =>
    new DiagramRenderer(
      {
        ...target,
        columns: columns === undefined ? undefined : columns - 5,
        write: (text) => write(`${style("detail", name)} ${text}`),
      },
      shape,
      hasNames,
    );
  const renderers = { web: show("web ", true), node: show("node", false) };
  const put = (renderer: Renderer, one: DetailedEvent | undefined): void => {
    if (one === undefined) return;
    renderer.onEvent(one.event);
    for (const detail of one.details) renderer.onDetail(detail);
  };
  return new EventPairs((web, node) => {
    put(renderers.web, web);
    put(renderers.node, node);
  });
}

type Cell = readonly [paint: Paint, text: string];

/** The lines of one side: the event with its answer, and what came after it; what has no room goes below. */
function cells(entry: DetailedEvent | undefined, width: number): Cell[] {
  if (entry === undefined) return [];
  const { event, details } = entry;
  const whole = [describeEvent(event), describeAnswer(event)].filter(Boolean).join(" ");
  const below = (text: string) => wrapWords(text, width - 2).map((line) => `  ${line}`);
  const [first, ...rest] = wrapWords(whole, width);
  return [
    [paintOf(event), first!],
    ...rest.flatMap(below).map((text): Cell => [paintOf(event), text]),
    ...details.flatMap(({ text }) => below(text)).map((text): Cell => ["detail", text]),
  ];
}

/** The logs of Web and node in two columns, event by event. */
function sideBySideLog(target: RenderTarget): Renderer {
  const { write, style, columns = 80 } = target;
  const width = Math.min(36, Math.max(16, Math.floor((columns - 7) / 2)));
  const row = (number: string, left: Cell | undefined, right: Cell | undefined): void => {
    const [leftPaint, leftText] = left ?? ["detail", ""] as const;
    const padding = " ".repeat(Math.max(0, width - leftText.length));
    const rightSide = right === undefined ? "" : style(right[0], right[1]);
    const line = `${number.padStart(3)} ${style(leftPaint, leftText)}${padding} | ${rightSide}`;
    write(`${line.trimEnd()}\n`);
  };
  row("", ["edge", "WEB"], ["edge", "NODE"]);
  return new EventPairs((web, node) => {
    const left = cells(web, width);
    const right = cells(node, width);
    for (let line = 0; line < Math.max(left.length, right.length); line++) {
      row(line === 0 ? String((web ?? node)!.event.seq) : "", left[line], right[line]);
    }
  });
}

/** Hands the events of both APIs on in the order of their numbers, Web first. */
function orderedEvents(renderer: Renderer): Renderer {
  const pairs = new EventPairs((web, node) => {
    if (web !== undefined) renderer.onEvent(web.event);
    if (node !== undefined) renderer.onEvent(node.event);
  });
  return pairs;
}

/** One line per event, and a dim one for what happens between. */
class LogRenderer implements Renderer {
  readonly #target: RenderTarget;

  constructor(target: RenderTarget) {
    this.#target = target;
    target.write(`${target.style("edge", startLine)}\n`);
  }

  onEvent(event: DemoEvent): void {
    const { style, write } = this.#target;
    const answer = describeAnswer(event);
    const line = style(paintOf(event), describeEvent(event));
    write(`${line}${answer === undefined ? "" : ` ${style("detail", answer)}`}\n`);
  }

  onDetail({ text }: DemoDetail): void {
    this.#target.write(`${this.#target.style("detail", `      ${text}`)}\n`);
  }

  end(): void {}
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

/** One JSON object a line, for programs. */
class JsonlRenderer implements Renderer {
  readonly #target: RenderTarget;
  readonly #showsApi: boolean;

  /** `showsApi` puts the API in front, where events of both come. */
  constructor(target: RenderTarget, showsApi: boolean) {
    this.#target = target;
    this.#showsApi = showsApi;
  }

  onEvent({ api, seq, timeMs, stage, event, id, occupancy }: DemoEvent): void {
    const line = { seq, timeMs, stage, event, id, occupancy };
    const whole = this.#showsApi ? { api, ...line } : line;
    this.#target.write(`${JSON.stringify(whole)}\n`);
  }

  onDetail(): void {}

  end(): void {}
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
  if (format === "jsonl") {
    return isBoth
      ? orderedEvents(new JsonlRenderer(target, true))
      : new JsonlRenderer(target, false);
  }
  const create = {
    log: () => isBoth ? sideBySideLog(target) : new LogRenderer(target),
    diagram: () => isBoth ? stackedDiagram(target, shape) : new DiagramRenderer(target, shape),
    live: () => new LiveRenderer(target, shape),
  }[format];
  return withWaits(withStory(legends[format], target, shape, create));
}
