import type { CaseRequest, Contestant, ParamSpec, PreparedCase, Workload } from "./workload.ts";

/** A parameter that is an integer of at least `minimum`, default 1, and at most `maximum`, default 10,000,000. */
export function integerParam(
  name: string,
  { minimum = 1, maximum = 10_000_000, ...spec }:
    & { readonly minimum?: number; readonly maximum?: number }
    & Omit<ParamSpec, "parse">,
): ParamSpec {
  return {
    ...spec,
    parse(text) {
      const value = /^\d+$/.test(text) ? Number(text) : NaN;
      if (value >= minimum && value <= maximum) return value;
      throw new RangeError(
        `Cannot read ${name}: must be an integer from ${minimum} to ${maximum}, ` +
          `got ${JSON.stringify(text)}`,
      );
    },
  };
}

/** A parameter that is one of a few words; `values`, by default, are all of them. */
export function choiceParam(
  name: string,
  { choices, values = choices, ...spec }:
    & { readonly choices: readonly string[] }
    & Partial<Pick<ParamSpec, "values">>
    & Omit<ParamSpec, "parse" | "values">,
): ParamSpec {
  return {
    ...spec,
    values,
    parse(text) {
      if (choices.includes(text)) return text;
      throw new RangeError(
        `Cannot read ${name}: must be one of ${choices.join(", ")}, got ${JSON.stringify(text)}`,
      );
    },
  };
}

/** A workload whose contestants are functions of one kind. */
interface WorkloadOf<Run> extends Omit<Workload, "contestants" | "prepare"> {
  readonly contestants: readonly Contestant<Run>[];
  /** The set of contestants that name none; default: `all`. */
  readonly contestantSet?: Workload["set"];
  prepare(run: Run, request: CaseRequest): PreparedCase | Promise<PreparedCase>;
}

/** Makes a workload that loads only the contestant asked for; an unknown one is an error. */
export function defineWorkload<Run>(
  { contestants, contestantSet: set, prepare, ...workload }: WorkloadOf<Run>,
): Workload {
  return {
    ...workload,
    contestants: contestants.map(({ load: _, ...entry }) => set ? { set, ...entry } : entry),
    async prepare(request) {
      const entry = contestants.find(({ name }) => name === request.contestant);
      if (entry === undefined) throw new Error(`There is no contestant ${request.contestant}`);
      return await prepare(await entry.load(), request);
    },
  };
}
