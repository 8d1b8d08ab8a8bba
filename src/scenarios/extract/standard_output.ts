import type { Output } from "./output.ts";
import { writeFully } from "./write_fully.ts";

const standardOutputDescriptor = 1;

/** This process's standard output, which other commands may read. */
export function standardOutput(): Output {
  return {
    name: "standard output",
    write: (bytes) => writeFully(standardOutputDescriptor, bytes),
    commit: () => Promise.resolve(),
    discard: () => Promise.resolve(),
  };
}
