import { isAlike, type Kind, kindOf, seenIn } from "./compare.ts";
import type { Implementation } from "./implementations.ts";
import { alternatives, excuse } from "./rules.ts";
import { runBatch } from "./run_batch.ts";
import type { Choice, Schedule, Section } from "./schedule.ts";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What is compared: the streams of the reference, those of the runtime, and the library's. */
export interface Contestants {
  readonly reference: Implementation;
  readonly native: Implementation;
  readonly library: Implementation;
}

/** A run that is not like the one that it is compared with. */
export interface Difference {
  readonly kind: Kind;
  readonly schedule: Schedule;
  readonly expected: readonly string[];
  readonly actual: readonly string[];
  /** The rule that explains it. */
  readonly rule?: string | undefined;
}

/** What came of one schedule. */
export interface Verdict {
  readonly choices: readonly Choice[];
  /** Whether the reference failed an assertion of its own, so that ours is compared with the runtime's streams. */
  readonly hasTripped: boolean;
  readonly native: Difference | undefined;
  readonly library: Difference | undefined;
}

function differenceOf(
  schedule: Schedule,
  expected: readonly string[],
  actual: readonly string[],
): Difference | undefined {
  const kind = kindOf(schedule, expected, actual);
  return kind && { kind, schedule, expected, actual };
}

/**
 * Runs some schedules with the library alone, where it is known what the reference does; those in which the library
 * does something else, with all.
 */
export async function checkKnown(
  schedules: readonly Schedule[],
  contestants: Contestants,
  answers: Answers,
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  const runs = await runBatch(schedules, contestants.library);
  const others = schedules.filter((schedule, index) => {
    const isSame = answers.next() === digestOf(schedule, runs[index]!.log);
    if (isSame) {
      verdicts.push({ choices: [], hasTripped: false, native: undefined, library: undefined });
    }
    return !isSame;
  });
  return [...verdicts, ...await check(others, contestants)];
}

/** Runs some schedules with the reference, the runtime's streams and the library, and compares. */
export async function check(
  schedules: readonly Schedule[],
  { reference, native, library }: Contestants,
  answers?: Answers,
): Promise<Verdict[]> {
  const references = await runBatch(schedules, reference);
  const libraries = await runBatch(schedules, library);
  for (const [index, { log, hasTripped }] of references.entries()) {
    answers?.add(hasTripped ? 0 : digestOf(schedules[index]!, log));
  }
  // With many deviations the runtime's own streams are asked only where they may explain something.
  const isAsked = (schedule: Schedule, index: number) =>
    schedule.deviations.length <= 2 || references[index]!.hasTripped ||
    kindOf(schedule, references[index]!.log, libraries[index]!.log) !== undefined;
  const asked = schedules.filter(isAsked);
  const answered = await runBatch(asked, native);
  const nativeOf = new Map(asked.map((schedule, index) => [schedule, answered[index]!]));
  const natives = schedules.map((schedule, index) => nativeOf.get(schedule) ?? references[index]!);
  const expectedOf = (index: number) =>
    (references[index]!.hasTripped ? natives : references)[index]!.log;
  const verdicts: Verdict[] = schedules.map((schedule, index) => {
    const { log, choices, hasTripped } = references[index]!;
    const runtime = natives[index]!.log;
    const expected = expectedOf(index);
    const own = differenceOf(schedule, expected, libraries[index]!.log);
    const rule = own && excuse({ ...own, native: runtime, hasTripped });
    return {
      choices,
      hasTripped,
      native: hasTripped || schedule.deviations.length > 2
        ? undefined
        : differenceOf(schedule, log, runtime),
      library: own && { ...own, rule },
    };
  });
  // What else the reference may do is asked only where it may explain something.
  let open = [...verdicts.keys()].filter((index) => {
    const { library } = verdicts[index]!;
    return library !== undefined && library.rule === undefined;
  });
  for (const { name, variants } of alternatives) {
    const variantsOf = new Map(open.map((index) => [index, variants(verdicts[index]!.library!)]));
    for (let turn = 0;; turn++) {
      const asked = open.filter((index) => turn < variantsOf.get(index)!.length);
      if (asked.length === 0) break;
      const runs = await runBatch(asked.map((index) => variantsOf.get(index)![turn]!), reference);
      for (const [place, index] of asked.entries()) {
        const verdict = verdicts[index]!;
        const difference = verdict.library!;
        const { log } = runs[place]!;
        const isSame = isAlike(log, difference.actual, "parties");
        const own = isSame
          ? undefined
          : excuse({ ...difference, expected: log, native: [], hasTripped: false });
        const rule = isSame ? name : own && `${name}, ${own}`;
        verdicts[index] = { ...verdict, library: { ...difference, rule } };
      }
      open = open.filter((index) => verdicts[index]!.library!.rule === undefined);
    }
  }
  return verdicts;
}

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
