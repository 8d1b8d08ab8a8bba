import { bufferNames, drawHose, type HoseShape } from "./hose_state.ts";
import type { DemoEvent } from "../demo_event.ts";
import { wrapWords } from "./wrap_words.ts";

/** The buffers in fixed places: each in a column as wide as its name, and as its slots with some more beyond the mark. */
export class HoseColumns {
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
