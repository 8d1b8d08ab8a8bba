import type { Fact } from "./probe.ts";
import type { Facts } from "./probes.ts";
import type { ExpectedTable } from "./expected_table.ts";

/** A fact that is another than expected. */
export interface Difference {
  /** Such as `no-writer / 5 node / read`. */
  readonly place: string;
  /** Null: there was no such fact. */
  readonly expected: Fact | null;
  /** Null: there is no such fact any more. */
  readonly measured: Fact | null;
  /** The explanation of just this difference, if the table has one. */
  readonly because?: string;
}

function flatten(facts: Facts): Map<string, Fact> {
  return new Map(
    Object.entries(facts).flatMap(([probe, table]) =>
      Object.entries(table).flatMap(([row, cells]) =>
        Object.entries(cells).map(([column, fact]) =>
          [[probe, row, column].join(" / "), fact] as const
        )
      )
    ),
  );
}

/** Lists where facts differ from a table; an explanation counts only for the fact that it names. */
export function compareFacts(
  table: Pick<ExpectedTable, "facts" | "explanations">,
  facts: Facts,
): Difference[] {
  const [before, now] = [flatten(table.facts), flatten(facts)];
  return [...new Set([...before.keys(), ...now.keys()])].flatMap((place): Difference[] => {
    const expected = before.get(place) ?? null;
    const measured = now.get(place) ?? null;
    if (expected === measured) return [];
    const explanation = Object.hasOwn(table.explanations, place)
      ? table.explanations[place]
      : undefined;
    const because = explanation?.measured === measured ? explanation.because.trim() : "";
    return [{ place, expected, measured, ...(because === "" ? {} : { because }) }];
  });
}

/** Writes differences as a diff, each with its explanation, or with the word that it has none. */
export function describeDifferences(differences: readonly Difference[]): string {
  return differences.map(({ place, expected, measured, because }) =>
    [
      place,
      ...(expected === null ? [] : [`- ${expected}`]),
      ...(measured === null ? [] : [`+ ${measured}`]),
      because === undefined ? "  not explained" : `  ${because}`,
    ].join("\n")
  ).join("\n");
}
