import { readFileSync } from "node:fs";
import { chainContestants } from "../../../bench/chains/contestants.ts";
import { markdownTable } from "../markdown_table.ts";
import { wrapProse } from "../../../scenarios/command_line/wrap_prose.ts";

const packagePath = new URL("../../../package.json", import.meta.url);
const { devDependencies } = JSON.parse(readFileSync(packagePath, "utf8"));

/** Who builds any chain, at which version, and what is to be said of it. */
export function contestantsTable(): string {
  const lines = chainContestants.map(({ name, about, package: from, note, set = "all" }) => [
    `\`${name}\``,
    from === undefined ? "–" : `${from} ${devDependencies[from]}`,
    `${about}${note === undefined ? "" : `; ${note}`}`,
    set === "full" ? "`--full`" : set === "all" ? "`--all`" : "always",
  ]);
  return [
    markdownTable(["contestant", "package", "what it is", "measured by"], lines),
    wrapProse(
      "How often a package is downloaded could not be looked up where this was measured, and is " +
        "left out.",
    ),
  ].join("\n\n");
}
