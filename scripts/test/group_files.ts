import { isLong } from "./order_jobs.ts";

/** So many files at most share a process: cores that have nothing to do take up the next. */
const mostTogether = 24;

/** They need a process of their own, each for a reason. */
const alone: readonly RegExp[] = [
  // It imports the tests of others, which would then not be run where they belong.
  /\/probed_test\.ts$/,
  // It counts code, all of which it must see compiled.
  /\/growth_test\.ts$/,
  // It takes newer parts away from the runtime.
  /^tests\/without_newer_parts_test\.ts$/,
  // It counts all that waits in its process.
  /^tests\/testing\/virtual_time_test\.ts$/,
  // Its hooks would hold for the files beside it.
  /^tests\/node_compat\/adapters_property_test\.ts$/,
  // In Bun they fail beside others; why is not known.
  /^tests\/queue\/simulation\//,
  // They look at memory, or at a page, for long.
  /^tests\/(?:leaks|playground|wpt)\//,
];

/** Whose tests may share a process: all of a part of hosepipe. */
function partOf(file: string): string {
  const [tests, part] = file.split("/");
  return part!.endsWith(".ts") ? tests! : part!;
}

/** Puts files of a part together that one process may run. */
export function groupFiles(files: readonly string[]): string[][] {
  const groups: string[][] = [];
  const open = new Map<string, string[]>();
  for (const file of files) {
    const part = partOf(file);
    const mayShare = !isLong(file) && !alone.some((pattern) => pattern.test(file));
    const group = mayShare ? open.get(part) : undefined;
    if (group !== undefined && group.length < mostTogether) {
      group.push(file);
      continue;
    }
    const begun = [file];
    groups.push(begun);
    if (mayShare) open.set(part, begun);
  }
  return groups;
}
