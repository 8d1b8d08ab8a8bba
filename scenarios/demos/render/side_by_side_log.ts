import { describeAnswer, describeEvent, paintOf } from "./describe_event.ts";
import { type DetailedEvent, EventPairs } from "./event_pairs.ts";
import type { Renderer, RenderTarget } from "./renderer.ts";
import type { Paint } from "./style.ts";

type Cell = readonly [paint: Paint, text: string];

/** The lines of one side: the event, with its answer if there is room, and what came after it. */
function cells(entry: DetailedEvent | undefined, width: number): Cell[] {
  if (entry === undefined) return [];
  const { event, details } = entry;
  const line = describeEvent(event);
  const whole = [line, describeAnswer(event)].filter(Boolean).join(" ");
  return [
    [paintOf(event), whole.length <= width ? whole : line],
    ...details.map((text): Cell => ["detail", `  ${text}`]),
  ];
}

/** The logs of Web and Node in two columns, event by event. */
export function sideBySideLog(target: RenderTarget): Renderer {
  const { write, style, columns = 80 } = target;
  const width = Math.min(36, Math.max(16, Math.floor((columns - 7) / 2)));
  const row = (number: string, left: Cell | undefined, right: Cell | undefined): void => {
    const [leftPaint, leftText] = left ?? ["detail", ""] as const;
    const padding = " ".repeat(Math.max(0, width - leftText.length));
    const leftSide = `${style(leftPaint, leftText.slice(0, width))}${padding}`;
    const rightSide = right === undefined ? "" : style(right[0], right[1].slice(0, width));
    write(`${number.padStart(3)} ${leftSide} | ${rightSide}`.trimEnd() + "\n");
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
