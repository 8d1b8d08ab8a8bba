import type { Span } from "./span.ts";

/** So many for each cursor, until it is known how much is in one. */
const firstSlices = 2;

/** A query costs the same however little it gives: none gets less than this part of what each cursor reads. */
const leastShare = 1 / 256;

/** Cuts a span into slices that follow each other, which grow and shrink until they give the bytes wanted. */
export class Slices {
  readonly #to: number;
  readonly #wantedBytes: number;
  readonly #least: number;
  #from: number;
  #length: number;

  constructor({ from, to }: Span, cursors: number, wantedBytes: number) {
    this.#from = from;
    this.#to = to;
    this.#wantedBytes = wantedBytes;
    this.#length = (to - from) / (cursors * firstSlices);
    this.#least = (to - from) / cursors * leastShare;
  }

  /** The next slice; none at the end. */
  next(): Span | undefined {
    const from = this.#from;
    if (from >= this.#to) return undefined;
    this.#from = Math.min(this.#to, from + Math.max(1, Math.round(this.#length)));
    return { from, to: this.#from };
  }

  /** Tells how many bytes a slice has given. */
  note({ from, to }: Span, bytes: number): void {
    const wanted = (to - from) * this.#wantedBytes / Math.max(1, bytes);
    this.#length = Math.max(this.#least, Math.min(wanted, 4 * this.#length), this.#length / 4);
  }
}
