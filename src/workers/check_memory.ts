import { type Meaning, meaningOf } from "../kernels/registry.ts";

/** What stages in threads may remember: nothing, the beginning of a record, or a block. */
export type Memory = "nothing" | "record" | "block";

const advice: Readonly<Record<Exclude<Memory, "block">, string>> = {
  nothing: "it remembers chunks, and would give something else at another size of block",
  record: "it remembers records, and would give something else at another size of block",
};

/** What an operator remembers; nothing that is said: what came before. */
function memoryOf({ makeKernel, open, isGenerator, remembers }: Meaning): Meaning["remembers"] {
  if (makeKernel === undefined) return open === undefined ? "nothing" : remembers;
  // A generator is the program's own.
  if (isGenerator) return "nothing";
  const kernel = makeKernel();
  return "remembers" in kernel && kernel.remembers ? undefined : "nothing";
}

/** Throws if one of our operators remembers more than it may; what a transformer of a program's own does is not known. */
export function checkMemory(stages: readonly unknown[], memory: Memory): void {
  if (memory === "block") return;
  stages.forEach((stage, index) => {
    const meaning = typeof stage === "object" && stage !== null ? meaningOf(stage) : undefined;
    if (meaning?.stages !== undefined) return checkMemory(meaning.stages, memory);
    const remembers = meaning === undefined ? "nothing" : memoryOf(meaning);
    if (remembers === "nothing" || remembers === memory) return;
    const help = remembers === "record"
      ? "give cut, the delimiter of its records"
      : "give perBlock: true if blocks are meant";
    throw new TypeError(
      `Cannot run stage ${index + 1} in threads: ${advice[memory]}; ${help}`,
    );
  });
}
