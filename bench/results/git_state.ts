import { execFile } from "node:child_process";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** What was measured: a commit, and whether tracked files differ from it; nulls outside git. */
export async function gitState(
  cwd: string,
): Promise<{ commit: string | null; dirty: boolean | null }> {
  try {
    const commit = await execute("git", ["rev-parse", "HEAD"], { cwd });
    const status = await execute("git", ["status", "--porcelain", "--untracked-files=no"], { cwd });
    return { commit: commit.stdout.trim(), dirty: status.stdout.trim() !== "" };
  } catch {
    // No git, no repository or no commit yet: results are still worth having.
    return { commit: null, dirty: null };
  }
}
