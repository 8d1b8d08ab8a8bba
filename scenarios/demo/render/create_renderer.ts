import type { DemoApi, DemoDetail, DemoEvent } from "../demo_event.ts";
import { describeAnswer, describeEvent, paintOf, startLine } from "./describe_event.ts";
import { DiagramRenderer } from "./diagram_renderer.ts";
import type { HoseShape } from "./hose_state.ts";
import { LiveRenderer } from "./live_renderer.ts";
import type { Renderer, RenderTarget } from "./renderer.ts";
import type { Paint } from "./style.ts";
import { wrapWords } from "./wrap_words.ts";
import { WhatHappened } from "./what_happened.ts";

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
