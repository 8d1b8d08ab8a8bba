import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildSite } from "../../scripts/site/build_site.ts";

let built: Promise<Map<string, string>> | undefined;

/** The site, built once for all tests of a file. */
export function builtSite(): Promise<Map<string, string>> {
  return built ??= buildSite();
}

/** Writes the site's files into a folder; answers its address. */
export async function writeSite(
  files: ReadonlyMap<string, string>,
  folder: string,
): Promise<string> {
  for (const [path, text] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return pathToFileURL(`${folder}/`).href;
}
