import { readFile, writeFile } from "node:fs/promises";
import { parseCommandLine } from "../../scenarios/command_line/parse_command_line.ts";
import { runCommand } from "../../scenarios/command_line/run_command.ts";
import { signatureFiles } from "./signature_files.ts";

const root = new URL("../../", import.meta.url);

await runCommand(async (args) => {
  const { check } = parseCommandLine(args, {
    command: "deno run -A scripts/gate/write_signatures.ts",
    about: "Writes the call signatures of pipeline, fuse, compose and the ends into src.",
    flags: {
      check: { kind: "boolean", about: "changes nothing; exits 1 if something would change" },
    },
    examples: [
      "deno run -A scripts/gate/write_signatures.ts",
      "deno run -A scripts/gate/write_signatures.ts --check",
    ],
  });
  let stale = 0;
  for (const [path, fresh] of signatureFiles()) {
    const file = new URL(path, root);
    if (await readFile(file, "utf8").catch(() => undefined) === fresh) continue;
    stale++;
    if (check) console.error(`${path}: stale; run deno run -A scripts/gate/write_signatures.ts`);
    else await writeFile(file, fresh);
    if (!check) console.log(`${path}: updated`);
  }
  if (stale === 0) console.log("signatures: current");
  return check && stale > 0 ? 1 : 0;
});
