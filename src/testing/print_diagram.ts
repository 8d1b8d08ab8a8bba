import type { DiagramEvent } from "./diagram.ts";

/** A longer gap is written as a time. */
const mostDashes = 20;

const listTimes = (events: readonly DiagramEvent[]) =>
  events.map(({ name, atMs }) => `${name} at ${atMs} ms`).join(", ");

/** Writes events as a diagram, or as a list of times where they fit no columns. */
export function printDiagram(events: readonly DiagramEvent[], columnMs = 1): string {
  let text = "";
  let nextMs = 0;
  for (let from = 0; from < events.length;) {
    const { atMs } = events[from]!;
    const group = events.slice(from).filter((event) => event.atMs === atMs);
    const columns = (atMs - nextMs) / columnMs;
    if (columns < 0 || !Number.isInteger(columns)) return listTimes(events);
    text += columns > mostDashes ? ` ${atMs - nextMs}ms ` : "-".repeat(columns);
    const names = group.map(({ name }) => name).join("");
    text += group.length > 1 ? `(${names})` : names;
    nextMs = atMs + columnMs;
    from += group.length;
  }
  return text.trim();
}
