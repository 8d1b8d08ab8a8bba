import { DiagramRenderer } from "./diagram_renderer.ts";
import { JsonlRenderer } from "./jsonl_renderer.ts";
import { LiveRenderer } from "./live_renderer.ts";
import { LogRenderer } from "./log_renderer.ts";
import { orderedEvents } from "./ordered_events.ts";
import type { Renderer, RenderTarget } from "./renderer.ts";
import { sideBySideLog } from "./side_by_side_log.ts";
import { stackedDiagram } from "./stacked_diagram.ts";

/** How a demo may be shown. */
export const demoFormats = ["log", "diagram", "live", "jsonl"] as const;

/** The name of a format, as `--format` takes it. */
export type DemoFormat = (typeof demoFormats)[number];

/** Makes what shows a demo of one API, or, if `isBoth`, of both beside each other. */
export function createRenderer(
  format: DemoFormat,
  target: RenderTarget,
  isBoth: boolean,
): Renderer {
  switch (format) {
    case "log":
      return isBoth ? sideBySideLog(target) : new LogRenderer(target);
    case "diagram":
      return isBoth ? stackedDiagram(target) : new DiagramRenderer(target);
    case "live":
      return new LiveRenderer(target);
    case "jsonl":
      return isBoth
        ? orderedEvents(new JsonlRenderer(target, true))
        : new JsonlRenderer(target, false);
  }
}
