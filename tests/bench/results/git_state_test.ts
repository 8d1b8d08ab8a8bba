import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { assertEquals, assertMatch } from "@std/assert";
import { gitState } from "../../../bench/results/git_state.ts";

const execute = promisify(execFile);

test("a folder has no commit, a clean checkout one, and a changed file makes it dirty", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hosepipe-git-test-"));
  const git = (...args: string[]) =>
    execute("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: folder });
  try {
    assertEquals(await gitState(folder), { commit: null, dirty: null });
    await writeFile(join(folder, "file"), "one");
    await git("init", "-q");
    await git("add", "file");
    await git("commit", "-q", "--no-gpg-sign", "-m", "one");
    await writeFile(join(folder, "untracked"), "");
    const clean = await gitState(folder);
    assertMatch(clean.commit!, /^[0-9a-f]{40}$/);
    assertEquals(clean.dirty, false);
    await writeFile(join(folder, "file"), "two");
    assertEquals(await gitState(folder), { commit: clean.commit, dirty: true });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
