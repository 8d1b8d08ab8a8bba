import { checkInteger } from "../errors.ts";
import { untilStill } from "./activity.ts";
import type { EndSettings } from "./end_settings.ts";
import { Expectations } from "./expectations.ts";
import { drawBuffer, printChunk } from "./print_chunk.ts";
import type { TestSource } from "./test_end_types.ts";

const times = (count: number) => count === 1 ? "once" : `${count} times`;

/** What reads the source, and how it is answered. */
export interface SourceForm<T> {
  readonly name: string;
  /** Throws if it cannot fail so. */
  checkReason?(reason: unknown): void;
  give(chunk: T): void;
  end(): void;
  fail(reason: unknown): void;
  /** The size of what waits in a queue of its own. */
  queued?(): number | undefined;
}

/** What a test source holds, and what has happened to it, whatever form it has. */
export class HeldSource<T> {
  pulls = 0;
  state: TestSource<T>["state"] = "open";
  readonly settings: EndSettings<T>;
  readonly expectations: Expectations;
  #form: SourceForm<T> | undefined;
  #asked = 0;
  #awaitedPulls = 0;
  #sawCancel = false;
  #reason: unknown;
  readonly #held: T[] = [];
  readonly #gone: T[] = [];
  #end: { readonly word: "ended" | "failed"; readonly reason?: unknown } | undefined;

  constructor(settings: EndSettings<T>) {
    this.settings = settings;
    this.expectations = new Expectations(settings.limitMs, () => this.draw());
  }

  /** Takes its form; it has one only. */
  open(form: SourceForm<T>): void {
    if (this.#form !== undefined) {
      throw new TypeError(`Cannot open test source as ${form.name}: it is ${this.#form.name}`);
    }
    this.#form = form;
  }

  give(chunks: readonly T[]): void {
    this.#checkOpen("give");
    for (const chunk of chunks) {
      this.#held.push(chunk);
      this.expectations.note(`give ${printChunk(chunk)}`);
    }
    this.pump();
  }

  end(): void {
    this.#checkOpen("end");
    this.#end = { word: "ended" };
    this.expectations.note("end");
    this.pump();
  }

  fail(reason: unknown): void {
    this.#checkOpen("fail");
    this.#form?.checkReason?.(reason);
    this.#end = { word: "failed", reason };
    this.expectations.note(`fail ${printChunk(reason)}`);
    this.pump();
  }

  /** A reader asks for a chunk. */
  ask(): void {
    this.pulls++;
    this.#asked++;
    this.expectations.note(`pull ${this.pulls}`);
    this.pump();
  }

  /** Hands over what is asked for, and the end behind it. */
  pump(): void {
    const form = this.#form;
    if (form === undefined || this.state !== "open") return;
    while (this.#asked > 0 && this.#held.length > 0) {
      this.#asked--;
      const chunk = this.#held.shift()!;
      this.#gone.push(chunk);
      try {
        form.give(chunk);
      } catch (error) {
        // The stream has failed, too: its `size` threw.
        this.state = "failed";
        this.expectations.note(`fail ${printChunk(error)}`);
        throw error;
      }
    }
    if (this.#end === undefined || this.#held.length > 0 || this.state !== "open") return;
    this.state = this.#end.word;
    if (this.state === "failed") form.fail(this.#end.reason);
    else form.end();
    this.expectations.look();
  }

  cancel(reason: unknown): void {
    this.state = "cancelled";
    this.#reason = reason;
    this.expectations.note(`cancel ${printChunk(reason)}`);
  }

  pulled(count: number): Promise<void> {
    checkInteger("wait for pulls", "count", count, 1);
    this.#awaitedPulls = Math.max(this.#awaitedPulls, count);
    return this.expectations.expect(
      `pull ${count} of the source`,
      () => this.pulls >= count,
      () => this.state === "open" ? undefined : `it has ${this.#outcome()}`,
    );
  }

  async cancelled(): Promise<unknown> {
    this.#sawCancel = true;
    await this.expectations.expect(
      "the source to be cancelled",
      () => this.state === "cancelled",
      () => this.state === "failed" ? "it has failed" : undefined,
    );
    return this.#reason;
  }

  async expectNothing(): Promise<void> {
    await untilStill();
    const more = this.pulls - this.#awaitedPulls;
    const isCancelled = this.state === "cancelled" && !this.#sawCancel;
    if (more <= 0 && !isCancelled) return;
    const what = isCancelled
      ? `it was cancelled with ${printChunk(this.#reason)}`
      : `it was asked ${times(this.pulls)}, and the test waited for ${this.#awaitedPulls}`;
    throw this.expectations.error(`Expected nothing at the source, but ${what}`);
  }

  draw(): string[] {
    const { highWaterMark, strategy } = this.settings;
    const name = this.#form?.name ?? "not read yet";
    const queued = this.#queued();
    const mark = `mark ${highWaterMark}${strategy.size === undefined ? "" : " by size"}`;
    return [
      `source, ${name}: ${this.#outcome()}, asked ${times(this.pulls)}`,
      `  holds    ${drawBuffer(this.#held)}${this.#ending()}`,
      ...(queued === undefined ? [] : [`  queue    ${drawBuffer(queued)} (${mark})`]),
      `  gave     ${drawBuffer(this.#gone.slice(0, this.#gone.length - (queued?.length ?? 0)))}`,
    ];
  }

  #outcome(): string {
    return this.state === "cancelled"
      ? `been cancelled with ${printChunk(this.#reason)}`
      : this.state === "open"
      ? "open"
      : this.state;
  }

  #ending(): string {
    if (this.#end === undefined || this.state !== "open") return "";
    return this.#end.word === "ended" ? " then the end" : ` then ${printChunk(this.#end.reason)}`;
  }

  /** What waits in the queue of the stream: the last chunks, as many as make up its size. */
  #queued(): T[] | undefined {
    let size = this.#form?.queued?.();
    if (size === undefined) return undefined;
    let from = this.#gone.length;
    while (size > 0 && from > 0) size -= this.settings.strategy.size?.(this.#gone[--from]!) ?? 1;
    return this.#gone.slice(from);
  }

  #checkOpen(action: string): void {
    const why = this.state !== "open"
      ? `has ${this.#outcome()}`
      : this.#end !== undefined
      ? `is to have ${this.#end.word}`
      : undefined;
    if (why !== undefined) throw this.expectations.error(`Cannot ${action}: the source ${why}`);
  }
}
