import type { ParamSpec } from "../measure/workload.ts";

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
