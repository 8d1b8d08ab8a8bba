import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { resolvePath } from "../../../scenarios/command_line/resolve_path.ts";

const project = fileURLToPath(new URL("../../../", import.meta.url)).replace(/\/$/, "");

async function inFolder(
  folder: string,
  callerFolder: string | undefined,
  use: () => void,
): Promise<void> {
  const [before, variable] = [process.cwd(), process.env.INIT_CWD];
  const set = (value: string | undefined) => {
    if (value === undefined) delete process.env.INIT_CWD;
    else process.env.INIT_CWD = value;
  };
  process.chdir(folder);
  set(callerFolder);
  try {
    await use();
  } finally {
    process.chdir(before);
    set(variable);
  }
}

test("a path of a task is one in the caller's folder", () =>
  inFolder(project, join(project, "docs"), () => {
    assertEquals(resolvePath("."), join(project, "docs"));
    assertEquals(resolvePath("../src"), join(project, "src"));
    assertEquals(resolvePath("/etc/hosts"), "/etc/hosts");
  }));

test("a path without a task is one in the working directory", () =>
  inFolder(project, undefined, () => assertEquals(resolvePath("docs"), join(project, "docs"))));

test("a task that is over does not count", async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "hosepipe-path-")));
  try {
    await inFolder(folder, project, () => assertEquals(resolvePath("a"), join(folder, "a")));
  } finally {
    await rm(folder, { recursive: true });
  }
});
