import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Where a path really leads, as far as there is something. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPath(folder), basename(path));
  }
}
