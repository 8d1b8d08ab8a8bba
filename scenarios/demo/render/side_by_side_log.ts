import { describeAnswer, describeEvent, paintOf } from "./describe_event.ts";
import { type DetailedEvent, EventPairs } from "./event_pairs.ts";
import type { Renderer, RenderTarget } from "./renderer.ts";
import type { Paint } from "./style.ts";
import { wrapWords } from "./wrap_words.ts";

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
export function sideBySideLog(target: RenderTarget): Renderer {
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
