import { readlink } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** As many links as Linux follows. */
const mostLinks = 40;

/**
 * Where a path leads in the end, also if there is nothing yet.
 *
 * @throws {Error} If its links lead round in a circle.
 */
export async function resolveLinks(path: string): Promise<string> {
  let target = resolve(path);
  for (let count = 0; count <= mostLinks; count++) {
    const next = await readlink(target).catch(() => undefined);
    if (next === undefined) return target;
    target = resolve(dirname(target), next);
  }
  throw new Error(`${path}: its links lead round in a circle`);
}
