import type { Splitter } from "../kernels/split_in_turns.ts";

/** What a splitter must know of text or of bytes. */
export interface Parts<T extends { readonly length: number }> {
  /** Where `delimiter` begins in `whole`, from `start` on; -1 if nowhere. */
  find(whole: T, delimiter: T, start: number): number;
  /** A part of it, which need not have memory of its own. */
  view(whole: T, start: number, end: number): T;
  /** A part that shares no memory that the source may use again. */
  copy(whole: T, start: number, end: number): T;
  /** Puts parts together. */
  join(parts: readonly T[]): T;
}

/** How a splitter splits. */
export interface SplitPlan {
  readonly maxLength: number;
  readonly disposition: "discard" | "suffix" | "prefix";
  readonly keepEmptyLast: boolean;
}

/** What takes the parts. */
interface Controller<T> {
  enqueue(part: T): void;
}

/** Splits one stream at a delimiter; holds the part that has not ended yet. */
export class DelimiterSplitter<T extends { readonly length: number }>
  implements Splitter<T, Controller<T>> {
  readonly #parts: Parts<T>;
  readonly #delimiter: T;
  readonly #plan: SplitPlan;
  #held: T[] = [];
  #heldLength = 0;
  #partsEmitted = 0;
  /** What is being split, and where its next part begins. */
  #chunk: T | undefined;
  #start = 0;

  constructor(parts: Parts<T>, delimiter: T, plan: SplitPlan) {
    this.#parts = parts;
    this.#delimiter = delimiter;
    this.#plan = plan;
  }

  /** Takes a chunk; `step` gives the parts that end in it, and holds what follows them. */
  take(chunk: T): void {
    this.#chunk = chunk;
    this.#start = 0;
  }

  step(limit: number, controller: Controller<T>): boolean {
    const chunk = this.#chunk!;
    let left = limit;
    if (this.#heldLength > 0) {
      const end = this.#findAcross(chunk);
      if (end === undefined) return this.#end();
      this.#emitHeld(chunk, end, controller);
      this.#start = end + this.#delimiter.length;
      left--;
    }
    let end = this.#parts.find(chunk, this.#delimiter, this.#start);
    while (end !== -1) {
      if (left-- === 0) return true;
      const start = this.#start;
      this.#check(end - start);
      this.#emit(this.#parts.copy(chunk, start, end), controller);
      this.#start = end + this.#delimiter.length;
      end = this.#parts.find(chunk, this.#delimiter, this.#start);
    }
    return this.#end();
  }

  keep(): void {
    const chunk = this.#chunk!;
    this.#chunk = this.#parts.copy(chunk, this.#start, chunk.length);
    this.#start = 0;
  }

  /** Holds what follows the last part. */
  #end(): false {
    const chunk = this.#chunk!;
    this.#chunk = undefined;
    if (this.#start < chunk.length) this.#hold(chunk, this.#start);
    return false;
  }

  /** Enqueues what is held. */
  finish(controller: Controller<T>): void {
    const { disposition, keepEmptyLast } = this.#plan;
    const isPrefixed = disposition === "prefix" && this.#partsEmitted > 0;
    if (this.#heldLength === 0 && !isPrefixed && !keepEmptyLast) return;
    this.#check(this.#heldLength);
    this.#emit(this.#parts.join(this.#held), controller, true);
  }

  /** Where the first delimiter begins, counted from the start of the chunk: below 0 in what is held. */
  #findAcross(chunk: T): number | undefined {
    const need = this.#delimiter.length - 1;
    const seam: T[] = [];
    let length = 0;
    for (let index = this.#held.length - 1; index >= 0 && length < need; index--) {
      const part = this.#held[index]!;
      const start = Math.max(0, part.length - (need - length));
      seam.unshift(this.#parts.view(part, start, part.length));
      length += part.length - start;
    }
    const window = this.#parts.join([...seam, this.#parts.view(chunk, 0, need)]);
    const across = this.#parts.find(window, this.#delimiter, 0);
    if (across !== -1 && across < length) return across - length;
    const within = this.#parts.find(chunk, this.#delimiter, 0);
    return within === -1 ? undefined : within;
  }

  /** Enqueues what is held as far as `end`, and the chunk as far as that. */
  #emitHeld(chunk: T, end: number, controller: Controller<T>): void {
    const length = this.#heldLength + end;
    this.#check(length);
    const whole = this.#parts.join([...this.#held, this.#parts.view(chunk, 0, Math.max(0, end))]);
    this.#held = [];
    this.#heldLength = 0;
    this.#emit(end < 0 ? this.#parts.copy(whole, 0, length) : whole, controller);
  }

  #emit(part: T, controller: Controller<T>, isLast = false): void {
    controller.enqueue(this.#withDelimiter(part, isLast));
    this.#partsEmitted++;
  }

  #withDelimiter(part: T, isLast: boolean): T {
    const { disposition } = this.#plan;
    if (disposition === "suffix" && !isLast) return this.#parts.join([part, this.#delimiter]);
    if (disposition === "prefix" && this.#partsEmitted > 0) {
      return this.#parts.join([this.#delimiter, part]);
    }
    return part;
  }

  #hold(chunk: T, start: number): void {
    this.#held.push(this.#parts.copy(chunk, start, chunk.length));
    this.#heldLength += chunk.length - start;
    // The last of it may turn out to begin a delimiter.
    this.#check(this.#heldLength - (this.#delimiter.length - 1));
  }

  #check(length: number): void {
    const { maxLength } = this.#plan;
    if (length <= maxLength) return;
    throw new RangeError(
      `Cannot split: part ${this.#partsEmitted + 1} is longer than maxLength ${maxLength}`,
    );
  }
}
