import { viewsOf } from "./compare.ts";
import type { Case } from "./rule.ts";

/** Whether each party sees what it would by the standard, or what it does with the runtime's own streams. */
export function isRuntimeInPart({ expected, actual, native }: Case): boolean {
  const [standard, runtime, ours] = [expected, native, actual].map((log) => viewsOf(log, true));
  const textOf = (view: readonly string[] | undefined) => JSON.stringify(view ?? []);
  return [...new Set([...standard!.keys(), ...ours!.keys()])].every((party) =>
    [standard!, runtime!].some((views) => textOf(views.get(party)) === textOf(ours!.get(party)))
  );
}
