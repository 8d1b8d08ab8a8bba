import { happenings } from "./happening.ts";
import type { FactTable, SemanticsProbe } from "./probe.ts";
import { propagateInNode } from "./error_propagation_node.ts";
import { propagateInWeb } from "./error_propagation_web.ts";

async function measure(): Promise<FactTable> {
  const table: Record<string, FactTable[string]> = {};
  for (const happening of happenings) {
    const web = await propagateInWeb(happening);
    // What is only piped has no signal.
    const pipe = happening === "signal" ? undefined : await propagateInNode(happening, "pipe");
    const pipeline = await propagateInNode(happening, "pipeline");
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
export const errorPropagationProbe: SemanticsProbe = {
  name: "error-propagation",
  question: "Who learns of an error, a cancellation, an abort, an early exit?",
  corner: "what happens: who",
  note:
    "'as is': with the very reason; 'wrapped': it is the cause of another. 'error': destroyed, with an " +
    "error event; 'destroyed': without one. break: out of 'for await' over the output.",
  measure,
};
