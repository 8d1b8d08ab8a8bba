import { runtimeNames } from "../../runtimes/current_runtime.ts";
import { readExpected } from "./expected_table.ts";
import type { Measured } from "./measured.ts";

/** The newest committed tables of the three runtimes. */
export function latestMeasured(): Measured[] {
  return runtimeNames.map((name) => {
    const { version, facts } = readExpected(name);
    return { name, version, facts };
  });
}
