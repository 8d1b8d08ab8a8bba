import { Answers, check, checkKnown, type Contestants, type Difference } from "./check.ts";
import { plainSchedules, type Schedule, type Section } from "./schedule.ts";
import { walkSchedules } from "./search.ts";

/** How many runs of one implementation differ, by kind. */
export interface Counts {
  order: number;
  moment: number;
  outcome: number;
}

/** What came of a section. */
export interface Tally extends Section {
  schedules: number;
  /** Of the 18 plain runs, those begun. */
  plainRuns: number;
  /** Whether all of them were tried. */
  isWhole: boolean;
  /** In how many the reference failed an assertion of its own. */
  tripped: number;
  /** The runtime's own streams, with at most two deviations. */
  readonly native: Counts;
  /** With at most two deviations. */
  nativeSchedules: number;
  /** The library, without what a rule explains. */
  readonly library: Counts;
  /** How many schedules each rule explains. */
  readonly excused: Record<string, number>;
  /** Some of the differences that no rule explains, those with few deviations first. */
  readonly examples: Difference[];
  /** The same of the runtime's own streams. */
  readonly nativeExamples: Difference[];
}

/** What to try, and whom to say so. */
export interface Enumeration {
  readonly contestants: Contestants;
  /** Of the schedules with most deviations only each so manyth. */
  readonly every?: number | undefined;
  /** A folder for what the reference does: another runtime need not run it again. */
  readonly answers?: string | undefined;
  /** How many examples of each kind are kept; default: 3. */
  readonly examples?: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (tally: Tally) => void;
  /** Is given each difference that a rule explains. */
  readonly onExcused?: (difference: Difference) => void;
}

function emptyCounts(): Counts {
  return { order: 0, moment: 0, outcome: 0 };
}

function keep(examples: Difference[], difference: Difference, most: number): void {
  const weightOf = ({ schedule }: Difference) => schedule.deviations.length;
  const like = examples.filter(({ kind }) => kind === difference.kind);
  if (like.length < most) {
    examples.push(difference);
    return;
  }
  const heavier = like.find((one) => weightOf(one) > weightOf(difference));
  if (heavier !== undefined) examples[examples.indexOf(heavier)] = difference;
}

/** Tries every schedule of a section. */
export async function enumerate(
  section: Section,
  { contestants, every, answers: folder, examples = 3, signal, onProgress, onExcused }: Enumeration,
): Promise<Tally> {
  // With two the runtime's own streams are compared with the reference, too, which therefore runs.
  const answers = folder === undefined || section.deviations <= 2
    ? undefined
    : new Answers(folder, section, every);
  const tally: Tally = {
    ...section,
    schedules: 0,
    plainRuns: 0,
    isWhole: false,
    tripped: 0,
    native: emptyCounts(),
    nativeSchedules: 0,
    library: emptyCounts(),
    excused: {},
    examples: [],
    nativeExamples: [],
  };
  const run = async (schedules: readonly Schedule[]) => {
    const isLast = schedules[0]!.deviations.length === section.deviations;
    const verdicts = isLast && answers?.isKnown
      ? await checkKnown(schedules, contestants, answers)
      : await check(schedules, contestants, isLast ? answers : undefined);
    tally.schedules += verdicts.length;
    if (schedules[0]!.deviations.length <= 2) tally.nativeSchedules += verdicts.length;
    for (const { hasTripped, native, library } of verdicts) {
      if (hasTripped) tally.tripped++;
      if (native !== undefined) {
        tally.native[native.kind]++;
        keep(tally.nativeExamples, native, examples);
      }
      if (library?.rule !== undefined) {
        onExcused?.(library);
        tally.excused[library.rule] = (tally.excused[library.rule] ?? 0) + 1;
      } else if (library !== undefined) {
        tally.library[library.kind]++;
        keep(tally.examples, library, examples);
      }
    }
    onProgress?.(tally);
    return verdicts.map(({ choices }) => choices);
  };
  for (const plain of plainSchedules(section.way, section.stages, section.chunks)) {
    tally.plainRuns++;
    await walkSchedules(plain, { deviations: section.deviations, run, every, signal });
  }
  if (!signal?.aborted) answers?.save();
  tally.isWhole = every === undefined && !signal?.aborted;
  return tally;
}

function describeCounts({ order, moment, outcome }: Counts): string {
  const total = order + moment + outcome;
  return total === 0 ? "0" : `${total} (outcome ${outcome}, moment ${moment}, order ${order})`;
}

function describeDifference({ kind, schedule, expected, actual }: Difference): string {
  return [
    `✗ ${kind}: ${schedule.deviations.map(({ at, does }) => `${at} ${does}`).join(", ")}`,
    `  --schedule '${JSON.stringify(schedule)}'`,
    `  expected ${expected.join("; ")}`,
    `  actual   ${actual.join("; ")}`,
  ].join("\n");
}

/** A tally for people. */
export function describeTally(tally: Tally): string {
  const { way, stages, chunks, deviations, schedules, isWhole, tripped, excused } = tally;
  return [
    `${way}, ${stages} × ${chunks}, at most ${deviations} deviations: ${schedules} schedules${
      isWhole ? "" : " (not all)"
    }`,
    `  native differs in   ${describeCounts(tally.native)}${
      deviations > 2 ? `, of ${tally.nativeSchedules} with at most 2` : ""
    }`,
    `  ${way} differs in ${describeCounts(tally.library)}, besides what rules explain:`,
    ...Object.entries(excused).map(([rule, count]) => `    ${String(count).padStart(9)}  ${rule}`),
    `  compared with native, since the reference failed an assertion of its own: ${tripped}`,
    ...tally.examples.map(describeDifference),
  ].join("\n");
}
