import { UsageError } from "../../scenarios/command_line/usage_error.ts";
import { listMutants } from "./list_mutants.ts";
import type { Mutant } from "./mutant.ts";

/**
 * Lists the changes of some files, folders or lines, by default of all that is published.
 *
 * @param files The text of each file of the project, by its path.
 * @param wanted As on the command line: `src/stages/take.ts`, `src/probe` or `src/errors.ts:12`.
 * @throws {UsageError} If there is nothing to change.
 */
export function chooseMutants(
  files: ReadonlyMap<string, string>,
  wanted: readonly string[],
): Mutant[] {
  const places = wanted.length > 0 ? wanted : ["src", "node_compat"];
  const mutants = places.flatMap((place) => {
    const [, path = "", line] = /^(?:\.\/)?(.+?)\/?(?::(\d+))?$/.exec(place) ?? [];
    const paths = [...files.keys()].filter((name) =>
      /^(?:src|node_compat)\//.test(name) && (name === path || name.startsWith(`${path}/`))
    );
    if (paths.length === 0) {
      throw new UsageError(`Cannot change ${place}: name a file or folder of src or node_compat`);
    }
    return paths.flatMap((name) => listMutants(name, files.get(name)!))
      .filter((mutant) => line === undefined || mutant.line === Number(line));
  });
  if (mutants.length === 0) throw new UsageError("There is nothing to change in these files");
  const keyOf = ({ path, start, end, after }: Mutant) => `${path}:${start}:${end}:${after}`;
  return [...new Map(mutants.map((mutant) => [keyOf(mutant), mutant])).values()];
}
