import {
  describeCase,
  describeParams,
  isMeasured,
  isNearTick,
  type MeasuredRow,
  noopName,
  type ResultFile,
  type Row,
} from "./result.ts";
import { quantile, ratioOfMedians } from "./statistics.ts";
import { seededRandom } from "../../scenarios/concurrency/seeded_random.ts";

/** A standard normal variate (Box and Muller). */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** A gamma variate of a shape of at least 1 (Marsaglia and Tsang, 2000). */
function gamma(shape: number, random: () => number): number {
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normal(random);
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - random()) < x * x / 2 + d - d * v + d * Math.log(v)) return d * v;
  }
}

/**
 * The median of as many draws with replacement from sorted samples, without making the draws: which
 * sample stands in the middle follows from the middle one of as many uniform variates, whose
 * distribution is a beta. That costs the same for ten thousand samples as for ten.
 */
function resampledMedian(sorted: readonly number[], random: () => number): number {
  const count = sorted.length;
  const rank = Math.floor((count + 1) / 2);
  const below = gamma(rank, random);
  const position = below / (below + gamma(count - rank + 1, random));
  const at = (fraction: number) => sorted[Math.min(count - 1, Math.floor(fraction * count))]!;
  if (count % 2 === 1) return at(position);
  // The upper middle is the least of the draws that lie above the lower one.
  const gap = 1 - (1 - random()) ** (1 / (count - rank));
  return (at(position) + at(position + (1 - position) * gap)) / 2;
}

/** How an interval is computed. */
interface BootstrapOptions {
  /** Of the resampling; the same seed gives the same interval. Default: 1. */
  readonly seed?: number;
  /** How often both sides are drawn again. Default: 4000. */
  readonly resamples?: number;
  /** Which share of the resampled ratios lies within. Default: 0.95. */
  readonly level?: number;
}

/** Where a ratio lies, going by the samples at hand. */
interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * The percentile bootstrap interval of the ratio of medians, `one` over `other`: both sides are
 * drawn again with replacement, each by itself, and the interval is the middle share of the ratios.
 *
 * @throws {RangeError} If a side has no samples.
 */
export function bootstrapRatio(
  one: readonly number[],
  other: readonly number[],
  { seed = 1, resamples = 4000, level = 0.95 }: BootstrapOptions = {},
): Interval {
  if (one.length === 0 || other.length === 0) {
    throw new RangeError("Cannot compute interval: need at least one sample on each side");
  }
  const random = seededRandom(seed);
  const numerator = [...one].sort((left, right) => left - right);
  const denominator = [...other].sort((left, right) => left - right);
  const ratios = Array.from(
    { length: resamples },
    () => resampledMedian(numerator, random) / resampledMedian(denominator, random),
  );
  return {
    low: quantile(ratios, (1 - level) / 2),
    high: quantile(ratios, (1 + level) / 2),
  };
}

/**
 * `better` and `worse`: the interval of the ratio lies wholly below or above 1. `regressed`: wholly
 * above 1 plus the threshold, or measured before and failed now. `unclear`: none of these, or
 * nothing can be said, for the reason in `note`. `withheld`: the control has moved with its machine.
 */
export type Verdict = "better" | "unclear" | "worse" | "regressed" | "withheld";

/** One case that both files have. */
export interface ComparedCase {
  /** As {@linkcode describeCase} names it. */
  readonly name: string;
  readonly old: Row;
  readonly new: Row;
  readonly verdict: Verdict;
  /** New over old, by medians; undefined if a side was not measured or did other work. */
  readonly ratio?: number;
  /** The 95 % interval of `ratio`. */
  readonly interval?: Interval;
  /** Why nothing could be said, or what happened. */
  readonly note?: string;
}

/** What the control of a workload says of the machine, in one runtime. */
export interface ControlCheck {
  /** As {@linkcode describeCase} names it. */
  readonly name: string;
  readonly interval: Interval;
  /** Whether the interval lies wholly outside 0.9 to 1.1: the machine changed, and no verdict stands. */
  readonly hasMoved: boolean;
}

/** The contestant that runs no library, so that its time changes with the machine alone; or why there is none. */
export type Control = { readonly contestant: string } | { readonly whyNone: string };

/** A workload whose verdicts stand, though no control says that the machine has not changed. */
export interface Unchecked {
  readonly workload: string;
  readonly reason: string;
}

/** Two result files, case by case. */
export interface Comparison {
  readonly controls: readonly ControlCheck[];
  readonly unchecked: readonly Unchecked[];
  readonly cases: readonly ComparedCase[];
  /** Names of cases that only one of them has. */
  readonly onlyOld: readonly string[];
  readonly onlyNew: readonly string[];
}

/** Between these the control's ratio may lie by chance. */
const [lowest, highest] = [0.9, 1.1];

function placeOf({ new: { workload, runtime, params } }: ComparedCase): string {
  return `${workload} ${describeParams(params)} ${runtime}`;
}

/** Fewer samples than these are too few to draw again from: one would make an interval of no width. */
const fewestSamples = 3;

function reservation(old: MeasuredRow, fresh: MeasuredRow): string | undefined {
  if (old.samples.length < fewestSamples || fresh.samples.length < fewestSamples) {
    return `fewer than ${fewestSamples} samples`;
  }
  if (isNearTick(old) || isNearTick(fresh)) return "within 10 ticks of the clock";
  return undefined;
}

function compareRows(old: Row, fresh: Row, threshold: number): Omit<ComparedCase, "name"> {
  const both = { old, new: fresh };
  if (!isMeasured(fresh)) {
    if (!isMeasured(old)) return { ...both, verdict: "unclear", note: "failed in both" };
    return { ...both, verdict: "regressed", note: `failed: ${fresh.error}` };
  }
  if (!isMeasured(old)) return { ...both, verdict: "unclear", note: "failed in the old file" };
  if (old.digest !== fresh.digest) {
    return { ...both, verdict: "unclear", note: "not the same output: another job or input" };
  }
  const ratio = ratioOfMedians(fresh, old);
  const note = reservation(old, fresh);
  if (note !== undefined) return { ...both, ratio, verdict: "unclear", note };
  const interval = bootstrapRatio(fresh.samples, old.samples);
  const { low, high } = interval;
  const verdict = high < 1
    ? "better"
    : low > 1 + threshold
    ? "regressed"
    : low > 1
    ? "worse"
    : "unclear";
  return { ...both, ratio, interval, verdict };
}

function byName({ rows }: ResultFile): Map<string, Row> {
  // What measuring itself costs is no contestant's merit or fault.
  const cases = rows.filter(({ contestant }) => contestant !== noopName);
  return new Map(cases.map((row) => [describeCase(row), row]));
}

/** What a workload's control leaves open, of which `checked` are the places it speaks for. */
function findUnchecked(
  workload: string,
  cases: readonly ComparedCase[],
  control: Control,
  checked: ReadonlySet<string>,
): Unchecked[] {
  if ("whyNone" in control) return [{ workload, reason: control.whyNone }];
  const places = [...new Set(cases.map(placeOf))];
  const open = places.filter((place) => !checked.has(place));
  if (open.length === 0) return [];
  const where = open.length < places.length ? `in ${open.length} of ${places.length} groups ` : "";
  const own = cases.find((one) =>
    one.new.contestant === control.contestant && open.includes(placeOf(one))
  );
  const reason = own === undefined
    ? `${where}its control ${control.contestant} is not in both files`
    : `${where}nothing can be said of its control ${control.contestant}: ${own.note}`;
  return [{ workload, reason }];
}

/**
 * Compares two result files case by case.
 *
 * @param threshold How much slower, as a fraction, is too slow: 0.1 is 10 %.
 * @param controlOf The control of a workload; where its interval lies wholly outside 0.9 to 1.1, the verdicts
 * of that case's workload, parameters and runtime are withheld. Default: `hand`.
 */
export function compareResults(
  old: ResultFile,
  fresh: ResultFile,
  threshold: number,
  controlOf: (workload: string) => Control = () => ({ contestant: "hand" }),
): Comparison {
  const [before, after] = [byName(old), byName(fresh)];
  const all = [...before].flatMap(([name, row]): ComparedCase[] => {
    const other = after.get(name);
    return other === undefined ? [] : [{ name, ...compareRows(row, other, threshold) }];
  });
  const checks = all.flatMap((one) => {
    const { name, interval, new: { workload, contestant } } = one;
    const control = controlOf(workload);
    const isControl = "contestant" in control && control.contestant === contestant;
    if (!isControl || interval === undefined) return [];
    const hasMoved = interval.high < lowest || interval.low > highest;
    return [{ place: placeOf(one), check: { name, interval, hasMoved } }];
  });
  const checked = new Set(checks.map(({ place }) => place));
  const moved = new Set(
    checks.filter(({ check }) => check.hasMoved).map(({ place }) => place),
  );
  const groups = Map.groupBy(all, (one) => one.new.workload);
  // A failure is one on any machine.
  const cases = all.map((one): ComparedCase =>
    moved.has(placeOf(one)) && one.ratio !== undefined ? { ...one, verdict: "withheld" } : one
  );
  return {
    controls: checks.map(({ check }) => check),
    unchecked: [...groups].flatMap(([workload, group]) =>
      findUnchecked(workload, group, controlOf(workload), checked)
    ),
    cases,
    onlyOld: [...before.keys()].filter((name) => !after.has(name)),
    onlyNew: [...after.keys()].filter((name) => !before.has(name)),
  };
}
