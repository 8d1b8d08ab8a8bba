import { test } from "node:test";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { assertEquals, assertRejects } from "@std/assert";
import { startNats } from "../../../bench/consume/nats_server.ts";
import { consume } from "../../../bench/consume/workload.ts";
import { CaseRefusal } from "../../../bench/measure/case_refusal.ts";
import { skipNats } from "../../queue/adapters/_nats_server.ts";
import { runCase } from "../_run_case.ts";

const count = 700;
const outcome = { chunks: count, bytes: count * 1_024, digest: "700 messages, sum 244650" };

for (const contestant of ["hand", "pipeline"]) {
  test(`${contestant} takes every message of SQLite to the store, run after run`, async () => {
    assertEquals(await runCase(consume, contestant, { broker: "sqlite", count }), outcome);
  });

  test(`${contestant} takes every message of NATS to the store, run after run`, {
    skip: skipNats,
  }, async () => {
    assertEquals(await runCase(consume, contestant, { broker: "nats", count }), outcome);
  });
}

/** With other variables of the environment, for as long as `use` takes. */
async function withEnvironment(changes: Record<string, string>, use: () => Promise<void>) {
  const before = Object.keys(changes).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, changes);
  try {
    await use();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-bench-test-"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("without a server of NATS its cases are not run, and say so", () =>
  withFolder((folder) =>
    withEnvironment({ PATH: folder, HOSEPIPE_NATS_SERVER: "" }, async () => {
      const params = { broker: "nats", count };
      const prepared = consume.prepare({ contestant: "hand", params });
      await assertRejects(() => prepared, CaseRefusal, "not run: no nats-server on PATH");
    })
  ));

test("nats-server on PATH is started with JetStream, and ends", {
  skip: process.platform === "win32" ? "no shell there" : false,
}, () =>
  withFolder(async (folder) => {
    const bin = join(folder, "bin");
    await mkdir(bin);
    // In the place of the real one: writes what it was given, and the file that tells its port.
    const script = `#!/bin/sh
while [ "$1" != --ports_file_dir ]; do echo "$1" >> "${folder}/args"; shift; done
echo $$ > "${folder}/pid"
echo '{"nats":["nats://127.0.0.1:4223"]}' > "$2/nats-server_$$.ports"
while :; do sleep 1; done
`;
    await writeFile(join(bin, "nats-server"), script);
    await chmod(join(bin, "nats-server"), 0o755);
    await withEnvironment(
      { PATH: `${bin}:${process.env.PATH}`, HOSEPIPE_NATS_SERVER: "" },
      async () => {
        const { servers, stop } = await startNats(folder);
        assertEquals(servers, "nats://127.0.0.1:4223");
        const given = await readFile(join(folder, "args"), "utf8");
        assertEquals(given, `-a\n127.0.0.1\n-p\n-1\n-js\n-sd\n${join(folder, "nats")}\n`);
        await stop();
        const pid = Number(await readFile(join(folder, "pid"), "utf8"));
        assertEquals(isRunning(pid), false);
      },
    );
  }));
