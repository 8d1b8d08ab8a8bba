import { writeFile } from "node:fs/promises";
import { parseCommandLine } from "../../../scenarios/command_line/parse_command_line.ts";
import { runCommand } from "../../../scenarios/command_line/run_command.ts";
import { readReference } from "../reference/read_reference.ts";
import { outputsFile, readExamples, readOutputs } from "./read_examples.ts";
import { runExamples } from "./run_examples.ts";

const root = new URL("../../../", import.meta.url);

await runCommand(async (args) => {
  parseCommandLine(args, {
    command: "deno run -A scripts/site/examples/write_outputs.ts",
    about: "Runs the examples of the reference, and writes what they print and find.\n" +
      "POSTGRES_URI and REDIS_URI name servers for those that need one; without a server\n" +
      "their last output is kept.",
    flags: {},
    examples: [
      "deno run -A scripts/site/examples/write_outputs.ts",
      "POSTGRES_URI=postgres://… deno run -A scripts/site/examples/write_outputs.ts",
    ],
  });
  const examples = readExamples(await readReference(root));
  const outputs = await runExamples(examples, await readOutputs());
  await writeFile(outputsFile, `${JSON.stringify(outputs, null, 2)}\n`);
  console.log(`outputs: ${examples.length} examples`);
});
