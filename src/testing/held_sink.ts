import { checkInteger } from "../errors.ts";
import { createDeferred, type Deferred } from "../deferred.ts";
import { untilStill } from "./activity.ts";
import type { EndSettings } from "./end_settings.ts";
import { Expectations } from "./expectations.ts";
import { drawBuffer, printChunk } from "./print_chunk.ts";
import type { TestSink } from "./test_end_types.ts";

/** What writes to the sink, and how it is answered. */
export interface SinkForm {
  readonly name: string;
  /** Throws if it cannot fail so. */
  checkReason?(reason: unknown): void;
  fail(reason: unknown): void;
  /** There is demand. */
  request?(): void;
}

/** What a test sink has taken and what waits for it, whatever form it has. */
export class HeldSink<T> {
  state: TestSink<T>["state"] = "open";
  readonly taken: T[] = [];
  readonly settings: EndSettings<T>;
  readonly expectations: Expectations;
  /** How many chunks it would take now. */
  requested: number;
  #form: SinkForm | undefined;
  /** The write that waits to be requested. */
  #held: { readonly chunk: T; readonly deferred: Deferred<void> } | undefined;
  #given = 0;
  /** How many calls of `next` there were that have not failed. */
  #wanted = 0;
  #sawEnd = false;
  #reason: unknown;

  constructor(settings: EndSettings<T>, requested: number) {
    this.settings = settings;
    this.requested = requested;
    this.expectations = new Expectations(settings.limitMs, () => this.draw());
  }

  /** Takes its form; it has one only. */
  open(form: SinkForm): void {
    if (this.#form !== undefined) {
      throw new TypeError(`Cannot open test sink as ${form.name}: it is ${this.#form.name}`);
    }
    this.#form = form;
    if (this.requested > 0) form.request?.();
  }

  /** A chunk comes; what it returns is settled once the chunk is requested. */
  write(chunk: T): Promise<void> | undefined {
    this.expectations.note(`write ${printChunk(chunk)}`);
    if (this.requested > 0) {
      this.#take(chunk);
      return undefined;
    }
    const deferred = createDeferred<void>();
    this.#held = { chunk, deferred };
    return deferred.promise;
  }

  request(count: number): void {
    checkInteger("request", "count", count, 1, true);
    if (this.state !== "open") {
      throw this.expectations.error(`Cannot request: the sink ${this.#outcome()}`);
    }
    this.#request(count);
  }

  #request(count: number): void {
    this.requested += count;
    this.expectations.note(`request ${count}`);
    const held = this.#held;
    if (held !== undefined) {
      this.#held = undefined;
      this.#take(held.chunk);
      held.deferred.resolve();
    }
    if (this.requested > 0) this.#form?.request?.();
  }

  #take(chunk: T): void {
    this.requested--;
    this.taken.push(chunk);
    this.expectations.look();
  }

  async next(): Promise<T> {
    const place = this.#wanted++;
    const missing = this.#wanted - this.taken.length - this.requested;
    if (missing > 0 && this.state === "open") this.#request(missing);
    try {
      await this.expectations.expect(
        `chunk ${place + 1} at the sink`,
        () => this.taken.length > place,
        () => this.state === "open" ? undefined : `it ${this.#outcome()}`,
      );
    } catch (error) {
      this.#wanted--;
      throw error;
    }
    this.#given = Math.max(this.#given, place + 1);
    return this.taken[place]!;
  }

  /** It is over: what waits is rejected with the reason, unless it was closed. */
  end(state: TestSink<T>["state"], reason?: unknown): void {
    this.state = state;
    this.#reason = reason;
    this.expectations.note(state === "closed" ? "close" : `${state} with ${printChunk(reason)}`);
  }

  /** Does what is to be done when it is closed; it has failed if that fails. */
  async close(act: (() => unknown) | undefined): Promise<void> {
    try {
      await act?.();
    } catch (reason) {
      if (this.state === "open") this.end("failed", reason);
      throw reason;
    }
    if (this.state === "open") this.end("closed");
  }

  /** Drops the write that waits. */
  drop(reason: unknown): void {
    const held = this.#held;
    this.#held = undefined;
    held?.deferred.reject(reason);
  }

  fail(reason: unknown): void {
    if (this.state !== "open") {
      throw this.expectations.error(`Cannot fail: the sink ${this.#outcome()}`);
    }
    if (this.#form === undefined) throw new TypeError("Cannot fail: nothing has the sink yet");
    this.#form.checkReason?.(reason);
    this.#sawEnd = true;
    this.end("failed", reason);
    this.#form.fail(reason);
    this.drop(reason);
  }

  async closed(): Promise<void> {
    await this.#expectEnd("closed");
  }

  async aborted(): Promise<unknown> {
    await this.#expectEnd("aborted");
    return this.#reason;
  }

  #expectEnd(state: "closed" | "aborted"): Promise<void> {
    this.#sawEnd = true;
    return this.expectations.expect(
      `the sink to be ${state}`,
      () => this.state === state,
      () => this.state === "open" ? undefined : `it ${this.#outcome()}`,
    );
  }

  async expectNothing(): Promise<void> {
    await untilStill();
    const more = this.taken.slice(this.#given);
    const held = this.#held;
    const what = more.length > 0
      ? `it took ${drawBuffer(more)}`
      : held !== undefined
      ? `${printChunk(held.chunk)} waits to be requested`
      : this.state !== "open" && !this.#sawEnd
      ? `it ${this.#outcome()}`
      : undefined;
    if (what !== undefined) {
      throw this.expectations.error(`Expected nothing at the sink, but ${what}`);
    }
  }

  draw(): string[] {
    const { highWaterMark, strategy } = this.settings;
    const mark = `mark ${highWaterMark}${strategy.size === undefined ? "" : " by size"}`;
    const held = this.#held === undefined ? [] : [this.#held.chunk];
    return [
      `sink, ${this.#form?.name ?? "not written yet"}, ${mark}: ${this.#outcome()}, ` +
      `${this.requested} requested`,
      `  waits    ${drawBuffer(held)}`,
      `  took     ${drawBuffer(this.taken)}`,
    ];
  }

  #outcome(): string {
    const { state } = this;
    if (state === "open") return "is open";
    if (state === "closed") return "is closed";
    return `${state === "failed" ? "has failed" : "is aborted"} with ${printChunk(this.#reason)}`;
  }
}
