import process from "node:process";
import { gzipSync } from "node:zlib";
import { runCommand } from "../scenarios/command_line/run_command.ts";
import { buildPage } from "./playground/build_page.ts";
import { pagesCommand } from "./site/pages_command.ts";

/** The command `deno task playground`, and what it needs. */
export const { run: playground, needs: playgroundNeeds } = pagesCommand({
  command: "deno task playground",
  about: "Builds the playground, one page that shows streams at work, and serves it until Ctrl-C.",
  out: "writes index.html there, and serves nothing",
  examples: ["deno task playground --port 0", "deno task playground --out page"],
  build: async () => new Map([["index.html", await buildPage()]]),
  describe(files) {
    const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(0)} KB`;
    const bytes = new TextEncoder().encode(files.get("index.html"));
    return `${kilobytes(bytes.length)}, ${kilobytes(gzipSync(bytes).length)} gzipped`;
  },
});

if (import.meta.main) await runCommand(playground, process.argv.slice(2));
