import { stat } from "node:fs/promises";
import { checkWritable } from "../command_line/check_writable.ts";

/**
 * Checks that the output can be written, before anything is read. Devices and pipes are let pass.
 *
 * @throws {UsageError} If it cannot, with the reason.
 */
export async function checkOut(path: string): Promise<void> {
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isCharacterDevice() || stats?.isFIFO()) return;
  await checkWritable("--out", path);
}
