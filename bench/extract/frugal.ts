/** As the task has it: Deno's part of `keepHeapSmall`, and no heap of glibc's own for each thread. */
export const frugal = {
  denoV8Flags: ["--max-semi-space-size=2", "--heap-growing-percent=10"],
  environment: { MALLOC_ARENA_MAX: "2", BUN_JSC_forceRAMSize: "100000000" },
};
