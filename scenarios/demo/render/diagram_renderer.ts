import type { DemoDetail, DemoEvent } from "../demo_event.ts";
import { describeAnswer, paintOf } from "./describe_event.ts";
import { paintBuffers } from "./draw_buffer.ts";
import { HoseColumns } from "./hose_columns.ts";
import type { HoseShape } from "./hose_state.ts";
import type { Renderer, RenderTarget } from "./renderer.ts";

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
