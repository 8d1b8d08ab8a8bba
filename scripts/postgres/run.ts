/**
 * Runs a PostgreSQL server of its own on a loopback port until it is interrupted; prints its address first, as
 * scripts/ferretdb does. It needs Debian's `postgresql` or any other on `PATH`. The server refuses to be root's: where
 * this is, it is the user postgres's, by `setpriv`. `--data FOLDER --port N` keep its data and address, so that it can
 * be killed and started again.
 */
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { freePort } from "../../scenarios/consume/faults/servers/free_port.ts";

/** Debian has them where PATH does not lead, in a folder for each version. */
function findPrograms(): string {
  const root = "/usr/lib/postgresql";
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  const folder = versions.map((version) => join(root, version, "bin"))
    .find((path) => existsSync(join(path, "initdb")));
  return folder === undefined ? "" : `${folder}/`;
}

function userNumber(flag: string): number {
  return Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout.trim());
}

const programs = findPrograms();
const { data: kept, port: named } = parseArgs({
  options: { data: { type: "string" }, port: { type: "string" } },
}).values;
const folder = kept ?? mkdtempSync(join(tmpdir(), "hosepipe-postgres-"));
const isNew = !existsSync(join(folder, "data"));
const isRoot = process.getuid?.() === 0;
if (isRoot && isNew) {
  chmodSync(folder, 0o700);
  chownSync(folder, userNumber("-u"), userNumber("-g"));
}
const asUser = (command: string, args: readonly string[]) =>
  isRoot
    ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", command, ...args]
    : [command, ...args];

try {
  const data = join(folder, "data");
  if (isNew) {
    const [first, ...rest] = asUser(`${programs}initdb`, [
      ...["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
    ]);
    const made = spawnSync(first!, rest, { encoding: "utf8", cwd: folder });
    if (made.status !== 0) throw new Error(made.stderr || String(made.error));
  }
  const port = named ?? await freePort();
  const [command, ...args] = asUser(`${programs}postgres`, [
    ...["-D", data, "-h", "127.0.0.1", "-p", String(port), "-k", folder],
    ...["-c", "fsync=off", "-c", "max_connections=200"],
  ]);
  const server = spawn(command!, args, { stdio: ["ignore", "ignore", "pipe"], cwd: folder });
  const ended = new Promise((resolve) => server.once("close", resolve));
  let log = "";
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.once("exit", () => reject(new Error(log)));
    server.stderr!.setEncoding("utf8").on("data", (text) => {
      log = (log + text).slice(-10_000);
      if (log.includes("ready to accept connections")) resolve();
    });
  });
  // A fast end: it waits for no session.
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => server.kill("SIGINT"));
  console.log(`postgres://postgres@127.0.0.1:${port}/postgres`);
  await ended;
} catch (error) {
  console.error(`Cannot start PostgreSQL: ${(error as Error).message.trim()}`);
  process.exitCode = 1;
} finally {
  if (kept === undefined) rmSync(folder, { recursive: true, force: true });
}
