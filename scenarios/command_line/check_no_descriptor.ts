import { readlink, realpath, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { UsageError } from "./usage_error.ts";

/** As many links as Linux follows. */
const mostLinks = 40;

/**
 * Checks that a file to be written is none that this process has open already, by a name such as `/dev/stderr`: what
 * others have written to it would be replaced.
 *
 * @throws {UsageError} If it is.
 */
export async function checkNoDescriptor(flag: string, path: string): Promise<void> {
  const stats = await stat(path).catch(() => undefined);
  let step: string | undefined = path;
  for (let count = 0; step !== undefined && stats?.isFile() && count <= mostLinks; count++) {
    const folder: string = await realpath(dirname(step)).catch(() => "");
    if (/^\/proc\/\d+(?:\/task\/\d+)?\/fd$/.test(folder)) {
      throw new UsageError(
        `Cannot write ${flag} ${path}: it is a file that is open already, which would be replaced`,
      );
    }
    const next: string | undefined = await readlink(step).catch(() => undefined);
    step = next === undefined ? undefined : resolve(dirname(step), next);
  }
}
