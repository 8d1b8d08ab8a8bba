import type { DemoDetail, DemoEvent } from "../demo_event.ts";
import { describeAnswer, paintOf } from "./describe_event.ts";
import { paintBuffers } from "./draw_buffer.ts";
import { bufferNames, drawHose, type HoseShape } from "./hose_state.ts";
import type { Renderer, RenderTarget } from "./renderer.ts";
import { wrapWords } from "./wrap_words.ts";

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
export class DiagramRenderer implements Renderer {
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
