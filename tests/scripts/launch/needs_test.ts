import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { promisify } from "node:util";
import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { currentRuntime } from "../../../runtimes/current_runtime.ts";
import type { Needs } from "../../../runtimes/descriptor.ts";
import { descriptors } from "../../../runtimes/descriptors.ts";
import { netNeeds } from "../../../scenarios/command_line/run_command.ts";
import { realPath } from "../../../scenarios/command_line/check_writable.ts";

const { name } = currentRuntime();
const probe = fileURLToPath(new URL("_probe.ts", import.meta.url));
const skip = name === "bun" ? "no permissions there" : false;

test("a process may do what it needs, and nothing more", { skip }, async () => {
  const base = await realpath(await mkdtemp(join(tmpdir(), "hosepipe-needs-")));
  const server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  try {
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const [inside, outside] = [join(base, "in"), join(base, "out")];
    for (const folder of [inside, outside]) {
      await mkdir(folder);
      await writeFile(join(folder, "a.txt"), "a");
    }
    const probed = async (folder: string, needs: Needs | undefined) => {
      const args = [join(folder, "a.txt"), join(folder, "b.txt"), String(port)];
      const command = [...descriptors[name].runArguments([], needs), probe, ...args];
      const { stdout } = await promisify(execFile)(process.execPath, command);
      return JSON.parse(stdout);
    };
    const all = { read: true, write: true, connect: true, run: true };
    const none = { read: false, write: false, connect: false, run: false };
    assertEquals(await probed(outside, undefined), all);
    assertEquals(await probed(outside, {}), none);
    assertEquals(await probed(inside, { read: [inside] }), { ...none, read: true });
    assertEquals(await probed(outside, { read: [inside] }), none);
    // What separates paths in Deno's list.
    const odd = join(inside, "a,b");
    await mkdir(odd);
    await writeFile(join(odd, "a.txt"), "a");
    assertEquals(await probed(odd, { read: [odd] }), { ...none, read: true });
    assertEquals(await probed(outside, { read: [odd] }), none);
    assertEquals(await probed(inside, { write: [inside] }), { ...none, read: true, write: true });
    assertEquals(await probed(outside, { write: [inside] }), none);
    const here = await netNeeds("127.0.0.1", port);
    assertEquals(await probed(outside, { net: here }), { ...none, connect: true });
    assertEquals(await probed(outside, { net: "any" }), { ...none, connect: true });
    assertEquals(await probed(outside, { run: [process.execPath] }), { ...none, run: true });
    // Node knows neither hosts nor programs.
    if (name === "deno") {
      const there = await netNeeds("127.0.0.1", port === 9 ? 10 : 9);
      assertEquals(await probed(outside, { net: there }), none);
      assertEquals(await probed(outside, { run: [join(inside, "a.txt")] }), none);
    }
  } finally {
    server.close();
    await rm(base, { recursive: true });
  }
});

test("a host is allowed as runtimes ask for it", async () => {
  assertEquals(await netNeeds("127.0.0.1", 8000), ["127.0.0.1:8000"]);
  assertEquals(await netNeeds("127.0.0.1", 0), ["127.0.0.1"]);
  assertEquals(await netNeeds("::1", 8000), ["[::1]:8000"]);
  assertEquals(await netNeeds("fe80::1%eth0", 8000), "any");
  assertEquals(await netNeeds("nowhere.invalid", 0), ["nowhere.invalid"]);
  const local = await netNeeds("localhost", 8000);
  assertEquals([local.includes("localhost"), local.includes("localhost:8000")], [true, true]);
});

test("a path is real as far as there is something", async () => {
  const base = await realpath(await mkdtemp(join(tmpdir(), "hosepipe-real-")));
  try {
    assertEquals(realPath(base), base);
    assertEquals(realPath(join(base, "a", "b")), join(base, "a", "b"));
  } finally {
    await rm(base, { recursive: true });
  }
});
