import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { seenIn } from "./compare.ts";
import type { Schedule } from "./schedule.ts";
import type { Section } from "./sections.ts";

/** A number for all that is compared of a run; never 0. */
export function digestOf(schedule: Schedule, log: readonly string[]): number {
  const text = seenIn(schedule, log);
  // Two of 32 bits each, of which 53 fit.
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    low = Math.imul(low ^ unit, 0x5f356495);
  }
  return ((high >>> 11) * 2 ** 32 + (low >>> 0)) || 1;
}

/**
 * What the reference does in the schedules with most deviations of a section, as digests in a file: the same in every
 * runtime, so that the second one need not run it where the library does the same.
 */
export class Answers {
  readonly #file: string;
  readonly #known: Float64Array | undefined;
  readonly #found: number[] = [];
  #place = 0;

  constructor(folder: string, { way, stages, chunks, deviations }: Section, every = 1) {
    mkdirSync(folder, { recursive: true });
    this.#file = join(folder, `${[way, stages, chunks, deviations, every].join("-")}.digests`);
    if (!existsSync(this.#file)) return;
    const { buffer, byteOffset, length } = readFileSync(this.#file);
    this.#known = new Float64Array(buffer.slice(byteOffset, byteOffset + length));
  }

  /** Whether there is a file to read. */
  get isKnown(): boolean {
    return this.#known !== undefined;
  }

  /** The next one; 0 if the reference failed an assertion of its own. */
  next(): number {
    return this.#known![this.#place++]!;
  }

  add(digest: number): void {
    this.#found.push(digest);
  }

  /** Writes what was found, once all of it was. */
  save(): void {
    if (this.#known === undefined) {
      writeFileSync(this.#file, new Uint8Array(new Float64Array(this.#found).buffer));
    } else if (this.#place !== this.#known.length) {
      throw new Error(
        `${this.#file} has ${this.#known.length} digests, and ${this.#place} were asked`,
      );
    }
  }
}
