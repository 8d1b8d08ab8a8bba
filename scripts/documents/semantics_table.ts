import { runtimeNames } from "../../runtimes/current_runtime.ts";
import type { SemanticsProbe } from "../../scenarios/semantics/probe.ts";
import type { Facts } from "../../scenarios/semantics/probes.ts";
import { answerTable } from "../../scenarios/semantics/answer_table.ts";
import { compareFacts } from "../../scenarios/semantics/compare_facts.ts";
import { listVersions, readExpected } from "../../scenarios/semantics/expected_table.ts";
import { markdownTable } from "./markdown_table.ts";
import { wrapProse } from "../../scenarios/command_line/parse_command_line.ts";

/** Where older versions answer otherwise than the newest of their runtime. */
function olderAnswers(probe: SemanticsProbe): string[] {
  return runtimeNames.flatMap((name) => {
    const newest = readExpected(name);
    return listVersions(name).slice(0, -1).flatMap((version) => {
      const { facts } = readExpected(name, version);
      const only = (all: Facts): Facts => ({ [probe.name]: all[probe.name] ?? {} });
      const table = { facts: only(newest.facts), explanations: {} };
      return compareFacts(table, only(facts)).map(({ place, expected, measured }) => {
        const [, row, column] = place.split(" / ");
        return `- ${name} ${version}, ${row}, ${column}: ${measured ?? "-"}, since then ${
          expected ?? "-"
        }`;
      });
    });
  });
}

/** The answers to one question by the newest committed tables of the three runtimes. */
export function semanticsTable(probe: SemanticsProbe): string {
  const measured = runtimeNames.map((name) => {
    const { version, facts } = readExpected(name);
    return { name, version, facts };
  });
  const { head, body, differences } = answerTable(probe, measured);
  const versions = measured.map(({ name, version }) => `${name} ${version}`).join(", ");
  const verdict = differences.length === 0 ? wrapProse(`${versions}: all three agree.`) : [
    `${versions} differ where there is "differs":`,
    "",
    ...differences.map((line) => `- ${line}`),
  ].join("\n");
  const older = olderAnswers(probe);
  return [
    wrapProse(probe.note),
    markdownTable(head, body.map((cells) => cells.map((cell) => cell === "*" ? "differs" : cell))),
    verdict,
    ...(older.length === 0 ? [] : [`An older version differs:\n\n${older.join("\n")}`]),
  ].join("\n\n");
}
