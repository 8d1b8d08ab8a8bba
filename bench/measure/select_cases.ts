import { levenshteinDistance } from "@std/text/levenshtein-distance";
import type { BenchCase, CaseSet, ContestantEntry, ParamSpec, Workload } from "./workload.ts";
import type { RuntimeName } from "../../runtimes/current_runtime.ts";
import { noopName, type Params, type ParamValue } from "../results/result.ts";

/** Which cases to run. */
export interface Selection {
  readonly workloads: readonly Workload[];
  readonly runtimes: readonly RuntimeName[];
  /** Default: all. `noop`, `hand` and the workload's control run always: a table without its limit says little. */
  readonly contestants?: readonly string[];
  /** `name=value,value`, each. */
  readonly params: readonly string[];
  /** Whose contestants are taken where `contestants` is silent, and parameter values where `params` is. */
  readonly values: CaseSet | "quick";
  readonly input?: string;
}

const handName = "hand";
const sets = ["tour", "publish", "all", "full"] as const;

/** Whether a set has what asks for at least `smallest`. */
export function isInSet(values: Selection["values"], smallest: CaseSet = "all"): boolean {
  const set = values === "quick" ? "all" : values;
  return sets.indexOf(smallest) <= sets.indexOf(set);
}

function valuesOf(spec: ParamSpec, values: Selection["values"]): readonly ParamValue[] {
  const quick = spec.quick ?? spec.values;
  const tour = spec.tour ?? quick;
  const publish = spec.publish ?? tour;
  const full = spec.full ?? spec.values;
  return { quick, tour, publish, all: spec.values, full }[values];
}

function readParams(texts: readonly string[], workloads: readonly Workload[]) {
  const chosen = new Map<string, ParamValue[]>();
  const known = [...new Set(workloads.flatMap(({ params }) => Object.keys(params)))];
  for (const text of texts) {
    const [, name, list] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
    if (name === undefined || list === undefined) {
      throw new RangeError(`--param must be name=value,value, got ${text}`);
    }
    const spec = workloads.find(({ params }) => Object.hasOwn(params, name))?.params[name];
    if (spec === undefined) {
      throw new RangeError(
        `--param ${text}: no such parameter; ` +
          (known.length > 0 ? `the parameters are ${known.join(", ")}` : "there are none here"),
      );
    }
    try {
      const values = list.split(",").map((value) => spec.parse(value.trim()));
      chosen.set(name, [...new Set([...chosen.get(name) ?? [], ...values])]);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new RangeError(`--param ${text}: ${reason}`, { cause });
    }
  }
  return chosen;
}

function combinations(lists: readonly (readonly [string, readonly ParamValue[]])[]): Params[] {
  return lists.reduce<Params[]>(
    (all, [name, values]) =>
      all.flatMap((params) => values.map((value) => ({ ...params, [name]: value }))),
    [{}],
  );
}

/** Up to this many names are listed whole; of more, the nearest. */
const mostListed = 12;

function checkContestants(wanted: readonly string[], workloads: readonly Workload[]): void {
  const names = workloads.flatMap(({ contestants }) => contestants.map(({ name }) => name));
  const known = [...new Set([noopName, ...names])];
  const unknown = wanted.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  if (known.length <= mostListed) {
    throw new RangeError(`--contestant must be one of ${known.join(", ")}, got ${unknown}`);
  }
  const near = known.map((name) => ({ name, away: levenshteinDistance(unknown, name) }))
    .sort((one, other) => one.away - other.away).slice(0, 3).map(({ name }) => name);
  throw new RangeError(
    `Unknown contestant ${unknown}; did you mean ${near[0]}, ${near[1]} or ${near[2]}? ` +
      "--list --workload W shows all",
  );
}

function whyAbsent(
  name: string,
  workloads: readonly Workload[],
  runtimes: readonly RuntimeName[],
): string {
  const entries = workloads.flatMap(({ contestants }) => contestants)
    .filter((entry) => entry.name === name);
  const runs = (entry: ContestantEntry) =>
    runtimes.some((runtime) => entry.runtimes?.includes(runtime) ?? true);
  if (entries.some(runs)) return "does no case of these parameters";
  return `runs only in ${
    [...new Set(entries.flatMap((entry) => entry.runtimes ?? []))].join(", ")
  }`;
}

/**
 * Lists the cases of a selection, `noop` once per workload and runtime.
 *
 * @throws {RangeError} If it names a contestant or a parameter that no chosen workload has, if a
 * value is none the parameter takes, or if a contestant runs in none of the runtimes or does none of the
 * cases.
 */
export function selectCases(selection: Selection): BenchCase[] {
  const { workloads, runtimes, contestants, values, input } = selection;
  const chosen = readParams(selection.params, workloads);
  if (contestants) checkContestants(contestants, workloads);
  if (input !== undefined && !workloads.some(({ takesInput }) => takesInput)) {
    const names = workloads.map(({ name }) => name).join(", ");
    throw new RangeError(`--input means nothing to ${names}`);
  }
  const isChosen = ({ name, set }: ContestantEntry, { control }: Workload) =>
    contestants === undefined
      ? isInSet(values, set)
      : name === handName || name === control || contestants.includes(name);

  const cases = workloads.flatMap((workload) => {
    const shared = {
      workload: workload.name,
      ...(workload.takesInput && input !== undefined ? { input } : {}),
    };
    const params = combinations(
      Object.entries(workload.params).map(([name, spec]) => [
        name,
        chosen.get(name) ?? valuesOf(spec, values),
      ]),
    );
    const real = workload.contestants.filter((entry) => isChosen(entry, workload)).flatMap((
      entry,
    ) =>
      runtimes.filter((runtime) => entry.runtimes?.includes(runtime) ?? true).flatMap((runtime) =>
        params.filter((params) => entry.takes?.(params) ?? true).map((params): BenchCase => ({
          ...shared,
          contestant: entry.name,
          runtime,
          params,
          nodeFlags: entry.nodeFlags ?? [],
          ...(entry.denoV8Flags ? { denoV8Flags: entry.denoV8Flags } : {}),
          ...(entry.environment ? { environment: entry.environment } : {}),
        }))
      )
    );
    const noops = runtimes.map((runtime): BenchCase => ({
      ...shared,
      contestant: noopName,
      runtime,
      params: {},
      nodeFlags: [],
    }));
    return [...noops, ...real];
  });
  for (const name of contestants ?? []) {
    if (!cases.some(({ contestant }) => contestant === name)) {
      throw new RangeError(`--contestant ${name} ${whyAbsent(name, workloads, runtimes)}`);
    }
  }
  return cases;
}
