/** Gives odd addresses to commands, one after the other in one process: what they say is searched by a test. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { consume } from "../../../scripts/consume.ts";
import { extractCommand } from "../../../scripts/extract.ts";
import { extractSeed } from "../../../scripts/extract_seed.ts";
import { loadCommand } from "../../../scripts/load.ts";
import { serve } from "../../../scripts/serve.ts";
import { runCommand } from "../../../scripts/command_line/run_command.ts";
import { triedAddresses } from "./_odd_addresses.ts";

// Each run listens for signals.
process.setMaxListeners(0);
const out = join(tmpdir(), `hosepipe-secrets-${process.pid}.csv`);
let failed = 0;
for (const address of triedAddresses) {
  for (
    const [main, args] of [
      [extractCommand, [
        "--source",
        address,
        "--out",
        out,
        "--table",
        "t",
        "--json",
        "--timeout",
        "1",
      ]],
      [extractCommand, [`--source=${address}`, "--out", "-", "--progress"]],
      [extractCommand, [address]],
      [extractSeed, ["--source", address]],
      [consume, ["--broker", address, "--messages", "1", "--json"]],
      [serve, ["--root", address]],
      [loadCommand, ["--in", "deno.json", "--target", address, "--table", "t", "--timeout", "1"]],
    ] as const
  ) {
    await runCommand(main, args);
    if (process.exitCode !== 0) failed++;
  }
}
console.log(`failed ${failed} of ${triedAddresses.length * 7}`);
process.exit(0);
