import { DiagramRenderer } from "./diagram_renderer.ts";
import type { HoseShape } from "./hose_state.ts";
import { JsonlRenderer } from "./jsonl_renderer.ts";
import { legends } from "./legends.ts";
import { LiveRenderer } from "./live_renderer.ts";
import { LogRenderer } from "./log_renderer.ts";
import { orderedEvents } from "./ordered_events.ts";
import type { Renderer, RenderTarget } from "./renderer.ts";
import { sideBySideLog } from "./side_by_side_log.ts";
import { stackedDiagram } from "./stacked_diagram.ts";
import { withStory } from "./with_story.ts";
import { withWaits } from "./with_waits.ts";

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
