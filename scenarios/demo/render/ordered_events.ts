import { EventPairs } from "./event_pairs.ts";
import type { Renderer } from "./renderer.ts";

/** Hands the events of both APIs on in the order of their numbers, Web first. */
export function orderedEvents(renderer: Renderer): Renderer {
  const pairs = new EventPairs((web, node) => {
    if (web !== undefined) renderer.onEvent(web.event);
    if (node !== undefined) renderer.onEvent(node.event);
  });
  return pairs;
}
