import process from "node:process";
import { runCommand } from "../scenarios/command_line/run_command.ts";
import { buildSite } from "./site/build_site.ts";
import { pagesCommand } from "./site/pages_command.ts";

/** The command `deno task site`, and what it needs. */
export const { run: site, needs: siteNeeds } = pagesCommand({
  command: "deno task site",
  about:
    "Builds the site, with the documentation, the reference of every export and the playground,\n" +
    "and serves it until Ctrl-C.",
  out: "writes the site there, and serves nothing",
  examples: ["deno task site --port 0", "deno task site --out public"],
  build: buildSite,
  describe: (files) => `${[...files.keys()].filter((path) => path.endsWith(".html")).length} pages`,
});

if (import.meta.main) await runCommand(site, process.argv.slice(2));
