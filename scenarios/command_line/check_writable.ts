import { access, constants, lstat, open, realpath, rm } from "node:fs/promises";
import { dirname } from "node:path";
import process from "node:process";
import { checkApart, type Others } from "./check_apart.ts";
import { checkNoDescriptor } from "./check_no_descriptor.ts";
import { resolvePath } from "./resolve_path.ts";
import { UsageError } from "./usage_error.ts";

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

const reasons: Record<string, string> = {
  ENOENT: "no such folder",
  ENOTDIR: "no such folder",
  EACCES: "no permission",
  EPERM: "no permission",
  EROFS: "read-only file system",
};

/**
 * Checks, before any work is done, that a file can be put at a path; returns its real, absolute path.
 *
 * @param others What it must not be, such as the file that is read.
 * @throws {UsageError} If it cannot, with the reason.
 */
export async function checkWritable(
  flag: string,
  path: string,
  others: Others = {},
): Promise<string> {
  const refuse = (reason: string) => new UsageError(`Cannot write ${flag} ${path}: ${reason}`);
  let target = resolvePath(path);
  await checkNoDescriptor(flag, target);
  try {
    target = await realpath(target);
    const stats = await lstat(target);
    if (stats.isDirectory()) throw refuse("it is a directory");
    if (!stats.isFile()) throw refuse("it is not a regular file");
    await access(target, constants.W_OK);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (codeOf(error) !== "ENOENT") throw refuse(reasons[codeOf(error)!] ?? String(error));
  }
  await checkApart(flag, target, others);
  // What counts is whether a file can be made beside it; asking for permissions would miss much.
  const probe = `${target}.${process.pid}.tmp`;
  try {
    await (await open(probe, "wx")).close();
    await rm(probe);
  } catch (error) {
    throw refuse(reasons[codeOf(error)!] ?? `${dirname(target)}: ${codeOf(error) ?? error}`);
  }
  return target;
}
