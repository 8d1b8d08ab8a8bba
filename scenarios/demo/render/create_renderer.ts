import type { DemoDetail, DemoEvent } from "../demo_event.ts";
import { describeAnswer, describeEvent, paintOf, startLine } from "./describe_event.ts";
import { DiagramRenderer } from "./diagram_renderer.ts";
import { EventPairs } from "./event_pairs.ts";
import type { HoseShape } from "./hose_state.ts";
import { LiveRenderer } from "./live_renderer.ts";
import type { Renderer, RenderTarget } from "./renderer.ts";
import { sideBySideLog } from "./side_by_side_log.ts";
import { stackedDiagram } from "./stacked_diagram.ts";
import { withStory } from "./with_story.ts";
import { withWaits } from "./with_waits.ts";

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
