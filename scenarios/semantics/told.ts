import type { FactTable, SemanticsProbe } from "./probe.ts";
import { tellNode } from "./told_node.ts";
import { tellWeb } from "./told_web.ts";

/** How a pipeline may end other than by its source's end. */
export const happenings = [
  "source fails",
  "transf. fails",
  "sink fails",
  "cancel",
  "break",
  "signal",
  "sink ends",
] as const;

/** One of these ways. */
export type Happening = (typeof happenings)[number];

async function measure(): Promise<FactTable> {
  const table: Record<string, FactTable[string]> = {};
  for (const happening of happenings) {
    const web = await tellWeb(happening);
    // What is only piped has no signal.
    const pipe = happening === "signal" ? undefined : await tellNode(happening, "pipe");
    const pipeline = await tellNode(happening, "pipeline");
    for (const party of ["source", "transf.", "sink", "caller"]) {
      if (
        party === "sink" && (happening === "cancel" || happening === "break")
      ) {
        continue;
      }
      table[`${happening}: ${party}`] = {
        "web": web.of(party),
        "node, pipe": pipe?.of(party) ?? "-",
        "node, pipeline": pipeline.of(party),
      };
    }
  }
  return table;
}

/** Who learns of an end that is not the usual one. */
export const toldProbe: SemanticsProbe = {
  name: "told",
  question: "Who is told of an error, a cancellation, an abort, an early exit?",
  corner: "what happens: who",
  note:
    "In brackets whether the reason that arrived is the same, none, wrapped (the cause of another) " +
    "or which other. «!»: an error event came with it. break: out of «for await» over the output.",
  measure,
};
