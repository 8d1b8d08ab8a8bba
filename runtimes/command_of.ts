import type { Runtime } from "./find_runtime.ts";

/**
 * The command line that runs a TypeScript file in a runtime.
 *
 * @param flags Flags of the runtime's own.
 */
export function commandOf(
  runtime: Pick<Runtime, "executable" | "arguments">,
  script: string,
  args: readonly string[] = [],
  flags: readonly string[] = [],
): [command: string, ...args: string[]] {
  return [runtime.executable, ...flags, ...runtime.arguments, script, ...args];
}
