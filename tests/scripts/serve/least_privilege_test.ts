import { spawn } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { currentRuntime } from "../../../runtimes/current_runtime.ts";
import { descriptors } from "../../../runtimes/descriptors.ts";
import { hasLinks, pattern } from "../../files/fixture.ts";
import { parseResponse, rawRequest } from "../../files/raw_request.ts";

const script = fileURLToPath(new URL("../../../scenarios/serve/command.ts", import.meta.url));
const { name: runtimeName } = currentRuntime();
const skip = runtimeName === "bun" ? "no permissions there" : !hasLinks;

/** Flags with which a process may read what it serves and its own code, and listen. */
const limits = (root: string) =>
  descriptors[runtimeName].runArguments([], { read: [root], net: ["127.0.0.1"] });

for (const api of ["web", "node"]) {
  test(`serve --api ${api} works in a process that may only read its root`, { skip }, async () => {
    const base = await realpath(await mkdtemp(join(tmpdir(), "hosepipe-privilege-")));
    const root = join(base, "root");
    await mkdir(root);
    await mkdir(join(base, "outside"));
    const big = pattern(3 * 2 ** 20);
    const files = {
      "root/a.txt": "hello\n",
      "root/big.bin": big,
      "outside/secret.txt": "SECRET\n",
    };
    for (const [name, content] of Object.entries(files)) {
      await writeFile(join(base, name), content);
      await utimes(join(base, name), 1e9, 1e9);
    }
    await symlink("../outside/secret.txt", join(root, "link.txt"));
    await symlink("../outside", join(root, "folder"));
    await symlink("a.txt", join(root, "inside.txt"));
    const flags = [...limits(root), script];
    const child = spawn(process.execPath, [...flags, "--root", root, "--port", "0", "--api", api], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
      const port = Number(/127\.0\.0\.1:(\d+)\//.exec((await lines.next()).value!)![1]);
      const ask = async (target: string) => {
        const text = `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
        return parseResponse(await rawRequest(port, text));
      };
      for (let round = 0; round < 2; round++) {
        for (const name of ["/a.txt", "/inside.txt"]) {
          assertEquals((await ask(name)).body.toString(), "hello\n", name);
        }
        const { status, body } = await ask("/big.bin");
        assertEquals([status, body.equals(big)], [200, true]);
      }
      for (const name of ["/link.txt", "/folder/secret.txt", "/folder/", "/nowhere"]) {
        assertEquals((await ask(name)).status, 404, name);
      }
      const list = await ask("/");
      const names = [...list.body.toString().matchAll(/href="\.\/([^"]+)"/g)].map(([, name]) =>
        name
      );
      assertEquals([list.status, names], [200, ["a.txt", "big.bin", "inside.txt"]]);
    } finally {
      child.kill("SIGKILL");
      await rm(base, { recursive: true });
    }
  });
}
