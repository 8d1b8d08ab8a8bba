/**
 * Runs a Redis or Valkey server of its own on a loopback port until it is interrupted; prints its address first. It
 * needs Debian's `redis-server` or `valkey-server`, or another on `PATH`. What it answers has been written to a file,
 * so that `--data FOLDER --port N` can be killed and started again; `--replica-of PORT` makes it another's replica.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { freePort } from "../../scenarios/consume/faults/servers/free_port.ts";

const { data, port = `${await freePort()}`, "replica-of": primary } = parseArgs({
  options: { data: { type: "string" }, port: { type: "string" }, "replica-of": { type: "string" } },
}).values;
const folder = data ?? mkdtempSync(join(tmpdir(), "hosepipe-redis-"));
const program = ["valkey-server", "redis-server"].find((name) =>
  spawnSync(name, ["--version"]).status === 0
);

try {
  if (program === undefined) throw new Error("neither valkey-server nor redis-server is there");
  const server = spawn(program, [
    ...["--bind", "127.0.0.1", "--port", port, "--dir", folder, "--save", ""],
    ...["--appendonly", "yes", "--appendfsync", "no", "--maxmemory-policy", "noeviction"],
    ...["--repl-diskless-sync-delay", "0"],
    ...(primary === undefined ? [] : ["--replicaof", "127.0.0.1", primary]),
  ], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => server.once("close", resolve));
  let log = "";
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.once("exit", () => reject(new Error(log)));
    server.stdout.setEncoding("utf8").on("data", (text) => {
      log = (log + text).slice(-10_000);
      if (log.includes("Ready to accept connections")) resolve();
    });
  });
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => server.kill("SIGTERM"));
  // Killed with the one that has started it, as a crash ends it.
  process.on("SIGHUP", () => server.kill("SIGKILL"));
  console.log(`redis://127.0.0.1:${port}`);
  await ended;
} catch (error) {
  console.error(`Cannot start Redis: ${(error as Error).message.trim()}`);
  process.exitCode = 1;
} finally {
  if (data === undefined) rmSync(folder, { recursive: true, force: true });
}
