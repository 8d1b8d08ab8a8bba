import { posix, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

interface SourceMap {
  readonly sources: readonly string[];
  readonly sourcesContent?: readonly (string | null)[];
}

/** Where the map says a source is, as a path of this machine. */
function pathOf(source: string, folder: string): string {
  return source.startsWith("file:") ? fileURLToPath(source) : resolve(folder, source);
}

/**
 * Makes a source map that names no folder of the machine that packs: its sources are where they would be beside the
 * package's `dist`, and stand in the map.
 *
 * @param text The map.
 * @param options `folder`, where the map was made; `root`, the project's folder; `file`, the map's path in the package.
 * @throws {Error} If a source is not in the project, or is not in the map.
 */
export function portableMap(
  text: string,
  { folder, root, file }: {
    readonly folder: string;
    readonly root: string;
    readonly file: string;
  },
): string {
  const map: SourceMap = JSON.parse(text);
  const sources = map.sources.map((source, index) => {
    const path = relative(root, pathOf(source, folder)).split(sep).join("/");
    if (path.startsWith("..") || typeof map.sourcesContent?.[index] !== "string") {
      throw new Error(`Cannot pack ${file}: ${source} is not in the project, or not in the map`);
    }
    return posix.relative(posix.dirname(file), path);
  });
  return `${JSON.stringify({ ...map, sources })}\n`;
}
