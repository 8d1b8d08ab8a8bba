import { describeRun } from "./draw_operator.ts";
import { wrapProse } from "../../../scenarios/command_line/parse_command_line.ts";
import { operatorPrograms, runOperator } from "./operator_programs.ts";

const described = new Map<string, string>();
for (const [name, program] of Object.entries(operatorPrograms)) {
  described.set(name, describeRun(await runOperator(program)));
}

/** The picture of an operator as Markdown, with what it shows in words. */
function picture(name: string): string {
  // Brackets would end the text of a picture.
  const words = described.get(name)!.replaceAll("[", "(").replaceAll("]", ")");
  return wrapProse(`![${words}](images/operator-${name}.svg)`);
}

/** The pictures of operators from one name to another, each under its name. */
export function operatorsList(from: string, to: string): string {
  const names = [...described.keys()];
  return names.slice(names.indexOf(from), names.indexOf(to) + 1)
    .map((name) => `### ${name}\n\n${picture(name)}`).join("\n\n");
}

/** What the picture of an operator shows, in words; undefined if it has none. */
export function operatorInWords(name: string): string | undefined {
  return described.get(name);
}
