import type { Expander } from "./expander.ts";
import { createLineSplitter } from "./line_splitter.ts";
import * as steps from "./steps.ts";
import { createUtf8Decoder } from "./utf8_decoder.ts";

// A list of steps is untyped between its members, as a chain of stages built in a loop is.
// deno-lint-ignore no-explicit-any
type Chunk = any;

/** One step of the job, for whoever builds a stage from it in a way of his own. */
export type Step =
  | { readonly kind: "map"; readonly fn: (chunk: Chunk) => Chunk }
  | { readonly kind: "filter"; readonly fn: (chunk: Chunk) => boolean }
  | { readonly kind: "expand"; readonly expander: Expander<Chunk, Chunk> };

/** The steps of one run of the job, in order; of that run only, since some remember. */
export interface JobSteps {
  /** All steps: from chunks of bytes to lines to be written. */
  readonly all: readonly Step[];
  /** Those after decoding and splitting, from lines read to lines to be written. */
  readonly perLine: readonly Exclude<Step, { kind: "expand" }>[];
  /** How many lines the counting step has seen. */
  linesRead(): number;
}

/** Describes the job copy_lines as a list of steps. */
export function createSteps(passes: number): JobSteps {
  let linesRead = 0;
  const count = (line: string) => {
    linesRead++;
    return line;
  };
  const perLine: JobSteps["perLine"] = [
    { kind: "map", fn: count },
    { kind: "map", fn: steps.trim },
    { kind: "filter", fn: steps.isNotEmpty },
    { kind: "filter", fn: steps.isNotComment },
    { kind: "map", fn: steps.splitFields },
    { kind: "map", fn: steps.selectFields },
    { kind: "map", fn: steps.toJson },
    { kind: "map", fn: steps.toLine },
    ...Array.from({ length: passes }, () => ({ kind: "map", fn: steps.pass }) as const),
  ];
  const all: Step[] = [
    { kind: "expand", expander: createUtf8Decoder() },
    { kind: "expand", expander: createLineSplitter() },
    ...perLine,
  ];
  return { all, perLine, linesRead: () => linesRead };
}
