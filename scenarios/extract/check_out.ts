import { stat } from "node:fs/promises";
import { isStandardOutputClosed } from "./standard_output.ts";
import { resolveLinks } from "./resolve_links.ts";
import { checkApart } from "../command_line/check_apart.ts";
import { checkNoDescriptor } from "../command_line/check_no_descriptor.ts";
import { checkWritable } from "../command_line/check_writable.ts";
import { UsageError } from "../command_line/usage_error.ts";

/**
 * Checks that the output can be written, before anything is read. Devices and pipes are let pass.
 *
 * @param source The address of what is read, which must be another file.
 * @throws {UsageError} If it cannot, with the reason.
 */
export async function checkOut(out: string, source: string): Promise<void> {
  if (out === "-" && isStandardOutputClosed()) {
    throw new UsageError("Cannot write --out -: standard output is closed");
  }
  // Standard output, too, may be a file, such as by `>>` of a shell.
  await checkApart("--out", out, { "the source": source });
  if (out === "-") return;
  await checkNoDescriptor("--out", out);
  const path = await resolveLinks(out).catch((error) => {
    throw new UsageError(`Cannot write --out ${(error as Error).message}`);
  });
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isCharacterDevice() || stats?.isFIFO()) return;
  await checkWritable("--out", path);
}
