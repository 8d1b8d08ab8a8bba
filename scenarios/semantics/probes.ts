import { chunkKindsProbe } from "./chunk_kinds.ts";
import { defaultsProbe } from "./defaults.ts";
import { flushProbe } from "./flush.ts";
import { overfillProbe } from "./overfill.ts";
import type { FactTable, SemanticsProbe } from "./probe.ts";
import { pushProbes } from "./push_results.ts";
import { readAheadProbe } from "./read_ahead.ts";
import { resumeProbes } from "./resume.ts";
import { standstillProbes } from "./standstill.ts";
import { errorPropagationProbe } from "./error_propagation.ts";

/** Every question, in the order in which answers are shown. */
export const semanticsProbes: readonly SemanticsProbe[] = [
  defaultsProbe,
  readAheadProbe,
  ...standstillProbes,
  overfillProbe,
  ...resumeProbes,
  ...pushProbes,
  errorPropagationProbe,
  flushProbe,
  chunkKindsProbe,
];

/** What a runtime answered, by the name of the probe. */
export type Facts = Readonly<Record<string, FactTable>>;

/** Puts every question to the runtime that executes this. */
export async function measureSemantics(): Promise<Facts> {
  const facts: Record<string, FactTable> = {};
  for (const { name, measure } of semanticsProbes) facts[name] = await measure();
  return facts;
}
