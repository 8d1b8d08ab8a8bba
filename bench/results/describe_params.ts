import type { Params } from "./params.ts";

/** Writes parameters as the command line takes them, in the order of their names. */
export function describeParams(params: Params): string {
  return Object.keys(params).sort().map((name) => `${name}=${params[name]}`).join(" ");
}
