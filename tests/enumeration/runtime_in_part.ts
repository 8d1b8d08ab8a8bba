import { partyOf, viewsOf } from "./compare.ts";
import type { Case } from "./rule.ts";

function turnsOf(log: readonly string[]): string[][] {
  const turns: string[][] = [[]];
  for (const event of log) {
    if (event === "|") turns.push([]);
    else turns.at(-1)!.push(event);
  }
  return turns;
}

/**
 * What the standard says, but for the parties that see in ours what they do with the runtime's own streams: those see
 * that. Undefined if there are none, or the runs do not have the same turns.
 */
export function runtimeInPart(
  { expected, actual, native }: Pick<Case, "expected" | "actual" | "native">,
): string[] | undefined {
  const [standard, runtime, ours] = [expected, native, actual].map((log) => viewsOf(log, true));
  const textOf = (view: readonly string[] | undefined) => JSON.stringify(view ?? []);
  const given = new Set(
    [...new Set([...standard!.keys(), ...ours!.keys()])].filter((party) => {
      const own = textOf(ours!.get(party));
      return own !== textOf(standard!.get(party)) && own === textOf(runtime!.get(party));
    }),
  );
  const [plain, other] = [expected, native].map(turnsOf);
  if (given.size === 0 || plain!.length !== other!.length) return undefined;
  return plain!.flatMap((events, index) => [
    ...(index === 0 ? [] : ["|"]),
    ...events.filter((event) => !given.has(partyOf(event))),
    ...other![index]!.filter((event) => given.has(partyOf(event))),
  ]);
}
