import { fstatSync } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isStandardOutputClosed } from "../../scenarios/extract/standard_output.ts";
import { resolveLinks } from "../../scenarios/extract/resolve_links.ts";
import { checkWritable } from "../command_line/check_writable.ts";
import { UsageError } from "../command_line/usage_error.ts";

/** An SQLite file is what these hold together. */
const besides = ["", "-wal", "-journal", "-shm"];

/** Where a path is, whatever links its folder is reached by. */
async function placeOf(path: string): Promise<string> {
  return join(await realpath(dirname(path)).catch(() => dirname(path)), basename(path));
}

/** Whether an output is a file of an SQLite database, there already or about to be. */
async function isOfSource(
  stats: { readonly dev: number; readonly ino: number } | undefined,
  path: string | undefined,
  source: string,
): Promise<boolean> {
  const file = /^sqlite:(.+)$/s.exec(source)?.[1];
  if (file === undefined) return false;
  const real = await resolveLinks(file).catch(() => file);
  for (const end of besides) {
    const theirs = await stat(`${real}${end}`).catch(() => undefined);
    const isSame = theirs === undefined
      ? path !== undefined && await placeOf(path) === await placeOf(`${real}${end}`)
      : stats !== undefined && theirs.dev === stats.dev && theirs.ino === stats.ino;
    if (isSame) return true;
  }
  return false;
}

/**
 * Checks that the output can be written, before anything is read. Devices and pipes are let pass.
 *
 * @param source The address of what is read, which must be another file.
 * @throws {UsageError} If it cannot, with the reason.
 */
export async function checkOut(out: string, source: string): Promise<void> {
  if (out === "-") {
    if (isStandardOutputClosed()) {
      throw new UsageError("Cannot write --out -: standard output is closed");
    }
    // Such as by `>>` of a shell.
    if (await isOfSource(fstatSync(1), undefined, source)) {
      throw new UsageError("Cannot write --out -: it is the source");
    }
    return;
  }
  const path = await resolveLinks(out).catch((error) => {
    throw new UsageError(`Cannot write --out ${(error as Error).message}`);
  });
  const stats = await stat(path).catch(() => undefined);
  if (await isOfSource(stats, path, source)) {
    throw new UsageError(`Cannot write --out ${out}: it is the source`);
  }
  if (stats?.isCharacterDevice() || stats?.isFIFO()) return;
  await checkWritable("--out", path);
}
