import type { ParamSpec } from "../measure/workload.ts";

/** A parameter that is an integer of at least `minimum` and at most `maximum`. */
export function integerParam(
  name: string,
  { minimum, maximum, ...spec }:
    & { readonly minimum: number; readonly maximum: number }
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
