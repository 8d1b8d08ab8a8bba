import { stat } from "node:fs/promises";
import { isStandardOutputClosed } from "../../scenarios/extract/standard_output.ts";
import { resolveLinks } from "../../scenarios/extract/resolve_links.ts";
import { checkWritable } from "../command_line/check_writable.ts";
import { UsageError } from "../command_line/usage_error.ts";

/** An SQLite file is what these hold together. */
const besides = ["", "-wal", "-journal", "-shm"];

/**
 * Checks that the output can be written, before anything is read. Devices and pipes are let pass.
 *
 * @param source The address of what is read, which must be another file.
 * @throws {UsageError} If it cannot, with the reason.
 */
export async function checkOut(out: string, source: string | undefined): Promise<void> {
  if (out === "-") {
    if (!isStandardOutputClosed()) return;
    throw new UsageError("Cannot write --out -: standard output is closed");
  }
  const path = await resolveLinks(out).catch((error) => {
    throw new UsageError(`Cannot write --out ${(error as Error).message}`);
  });
  const stats = await stat(path).catch(() => undefined);
  const file = /^sqlite:(.+)$/s.exec(source ?? "")?.[1];
  if (file !== undefined) {
    const real = await resolveLinks(file).catch(() => file);
    for (const end of besides) {
      const theirs = await stat(`${real}${end}`).catch(() => undefined);
      const isSame = theirs === undefined
        ? path === `${real}${end}`
        : stats !== undefined && theirs.dev === stats.dev && theirs.ino === stats.ino;
      if (isSame) throw new UsageError(`Cannot write --out ${out}: it is the source`);
    }
  }
  if (stats?.isCharacterDevice() || stats?.isFIFO()) return;
  await checkWritable("--out", path);
}
