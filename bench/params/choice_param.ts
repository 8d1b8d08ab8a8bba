import type { ParamSpec } from "../measure/workload.ts";

/** A parameter that is one of a few words. */
export function choiceParam(
  name: string,
  { choices, ...spec }: { readonly choices: readonly string[] } & Omit<ParamSpec, "parse">,
): ParamSpec {
  return {
    ...spec,
    parse(text) {
      if (choices.includes(text)) return text;
      throw new RangeError(
        `Cannot read ${name}: must be one of ${choices.join(", ")}, got ${JSON.stringify(text)}`,
      );
    },
  };
}
