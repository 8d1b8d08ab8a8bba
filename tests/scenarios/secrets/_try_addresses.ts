/** Gives odd addresses to commands, one after the other in one process: what they say is searched by a test. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { consume } from "../../../scenarios/consume/command.ts";
import { extractCommand } from "../../../scenarios/extract/command.ts";
import { extractSeed } from "../../../scenarios/extract/seed/command.ts";
import { loadCommand } from "../../../scenarios/load/command.ts";
import { serve } from "../../../scenarios/serve/command.ts";
import { runCommand } from "../../../scenarios/command_line/run_command.ts";
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
