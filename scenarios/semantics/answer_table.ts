import type { SemanticsProbe } from "./probe.ts";
import type { Measured } from "./measured.ts";

/** The answers of several runtimes to one question, in one table. */
export interface AnswerTable {
  readonly head: readonly string[];
  /** A cell in which the runtimes differ holds a star. */
  readonly body: readonly (readonly string[])[];
  /** One line for each star. */
  readonly differences: readonly string[];
}

/** Who answered what, such as `deno 1; bun, node 2`. */
function groupAnswers(facts: readonly string[], measured: readonly Measured[]): string {
  const names = Map.groupBy(measured.keys(), (index) => facts[index]!);
  return [...names].map(([fact, indexes]) =>
    `${indexes.map((index) => measured[index]!.name).join(", ")} ${fact}`
  ).join("; ");
}

/** Lays the answers of several runtimes over one another. */
export function answerTable(
  { name, corner }: Pick<SemanticsProbe, "name" | "corner">,
  measured: readonly Measured[],
): AnswerTable {
  const tables = measured.map(({ facts }) => facts[name] ?? {});
  const rows = [...new Set(tables.flatMap((table) => Object.keys(table)))];
  const columns = [
    ...new Set(tables.flatMap((table) => Object.values(table).flatMap((row) => Object.keys(row)))),
  ];
  const differences: string[] = [];
  const body = rows.map((row) => [
    row,
    ...columns.map((column) => {
      const facts = tables.map((table) => String(table[row]?.[column] ?? "none"));
      if (new Set(facts).size <= 1) return facts[0] ?? "none";
      differences.push(`${row}, ${column}: ${groupAnswers(facts, measured)}`);
      return "*";
    }),
  ]);
  return { head: [corner, ...columns], body, differences };
}
