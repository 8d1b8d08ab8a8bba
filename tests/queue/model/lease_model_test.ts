import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch } from "@std/assert";

const model = fileURLToPath(new URL("./lease.pml", import.meta.url));

function isThere(program: string): boolean {
  return spawnSync(program, [program === "spin" ? "-V" : "--version"]).status === 0;
}

const isRequired = process.env.HOSEPIPE_REQUIRE_SPIN === "1";
const skip = !isRequired && !(isThere("spin") && isThere("gcc")) && "spin or gcc is not here";

/** Has a checker of the model made and run, and answers what it prints. */
function check(...definitions: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "hosepipe-spin-"));
  try {
    const flags = definitions.map((definition) => `-D${definition}`);
    const run = (program: string, args: readonly string[]) => {
      const { error, status, stdout } = spawnSync(program, args, { cwd: folder, encoding: "utf8" });
      if (error !== undefined) throw error;
      assertEquals(status, 0, `${program}: ${stdout}`);
      return stdout;
    };
    run("spin", [...flags, "-a", model]);
    // Mistakes are found at once: there the compiler would take longer than what it makes faster.
    const level = definitions.length === 0 ? "-O1" : "-O0";
    run("gcc", [level, "-w", "-DSAFETY", "-DMEMLIM=2048", "-o", "pan", "pan.c"]);
    return run(join(folder, "pan"), ["-m100000", "-w22"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("every way of the leases keeps what is promised, and comes to its end", {
  skip,
  timeout: 120_000,
}, () => {
  const answer = check();
  assertMatch(answer, /errors: 0\n/);
  assert(!answer.includes("max search depth too small"), answer);
  const [, states] = answer.match(/(\d+) states, stored/)!;
  assert(Number(states) > 1_000_000, `${states} states`);
});

for (
  const [name, definition, problem] of [
    ["an acknowledgement before the save", "EARLY_ACKNOWLEDGE", "rows\\[.*\\]==1"],
    ["rows without a key", "NO_KEY", "rows\\[.*\\]==1"],
    ["ends that do not ask whose lease it is", "NO_LEASE_CHECK", "lease\\[.*\\]=="],
    ["a broker that keeps no order", "NO_ORDER", "rows\\[0\\]==1"],
    ["leases of the dead that never end", "NO_TIME", "invalid end state"],
  ] as const
) {
  test(`it finds ${name}`, { skip, timeout: 120_000 }, () => {
    const answer = check(definition);
    assertMatch(answer, /errors: 1\n/);
    assertMatch(answer, new RegExp(`pan:1: .*${problem}`));
  });
}
