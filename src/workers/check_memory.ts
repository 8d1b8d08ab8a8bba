import { meaningOf } from "../kernels/registry.ts";

/** What stages in threads may remember: nothing, the beginning of a record, or a block. */
export type Memory = "nothing" | "record" | "block";

const advice: Readonly<Record<Exclude<Memory, "block">, string>> = {
  nothing: "it remembers chunks, and would give something else at another size of block",
  record: "it remembers records, and would give something else at another size of block",
};

/** Throws if one of our operators remembers more than it may; what a transformer of a program's own does is not known. */
export function checkMemory(stages: readonly unknown[], memory: Memory): void {
  if (memory === "block") return;
  stages.forEach((stage, index) => {
    const meaning = typeof stage === "object" && stage !== null ? meaningOf(stage) : undefined;
    if (meaning?.stages !== undefined) return checkMemory(meaning.stages, memory);
    if (meaning?.open === undefined || meaning.makeKernel !== undefined) return;
    const { remembers } = meaning;
    if (remembers === "nothing" || remembers === memory) return;
    const help = remembers === "record"
      ? "give cut, the delimiter of its records"
      : "give perBlock: true if blocks are meant";
    throw new TypeError(
      `Cannot run stage ${index + 1} in threads: ${advice[memory]}; ${help}`,
    );
  });
}
