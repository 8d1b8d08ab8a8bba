import { chmod, mkdir, open, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import { checkWritable } from "../../../scenarios/command_line/check_writable.ts";
import { UsageError } from "../../../scenarios/command_line/usage_error.ts";
import { inFolder } from "../../lib/in_folder.ts";

async function refusal(path: string): Promise<string> {
  return (await assertRejects(() => checkWritable("--json", path), UsageError)).message;
}

const isWindows = process.platform === "win32";
const isRoot = process.getuid?.() === 0;

test("a new and an old file can be written; neither is touched by the asking", () =>
  inFolder(async (folder) => {
    const old = join(folder, "old");
    await writeFile(old, "kept");
    assertEquals(await checkWritable("--json", old), old);
    assertEquals(await checkWritable("--json", join(folder, "new")), join(folder, "new"));
    assertEquals(await readdir(folder), ["old"]);
    assertEquals(await readFile(old, "utf8"), "kept");
  }));

test("a folder, and a path through a file or nothing, cannot", () =>
  inFolder(async (folder) => {
    await mkdir(join(folder, "inner"));
    await writeFile(join(folder, "file"), "");
    const start = "Cannot write --json ";
    for (
      const [name, reason] of [
        ["inner", "it is a directory"],
        ["missing/new", "no such folder"],
        ["file/new", "no such folder"],
      ] as const
    ) {
      const path = join(folder, name);
      assertEquals(await refusal(path), `${start}${path}: ${reason}`);
    }
  }));

test(
  "a link is followed, so that what it names is written and it stays",
  { skip: isWindows },
  () =>
    inFolder(async (folder) => {
      await writeFile(join(folder, "target"), "");
      await symlink("target", join(folder, "link"));
      assertEquals(await checkWritable("--json", join(folder, "link")), join(folder, "target"));
    }),
);

test("a file that is open already, by a name such as /dev/stderr, cannot be replaced", {
  skip: process.platform !== "linux",
}, () =>
  inFolder(async (folder) => {
    const path = join(folder, "log");
    await writeFile(path, "kept");
    await symlink("/dev/fd", join(folder, "fds"));
    const file = await open(path, "a");
    try {
      for (const name of ["/dev/fd", "/proc/self/fd", join(folder, "fds")]) {
        assertEquals(
          await refusal(`${name}/${file.fd}`),
          `Cannot write --json ${name}/${file.fd}: it is a file that is open already, which would be replaced`,
        );
      }
    } finally {
      await file.close();
    }
  }));

test(
  "what permissions forbid cannot be written",
  { skip: isWindows || isRoot },
  () =>
    inFolder(async (folder) => {
      const [locked, file] = [join(folder, "locked"), join(folder, "file")];
      await mkdir(locked);
      await chmod(locked, 0o555);
      await writeFile(file, "");
      await chmod(file, 0o444);
      const path = join(locked, "new");
      assertEquals(await refusal(path), `Cannot write --json ${path}: no permission`);
      assertEquals(await refusal(file), `Cannot write --json ${file}: no permission`);
    }),
);
