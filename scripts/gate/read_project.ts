import { readFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { listFiles } from "./list_files.ts";

const thisProject = new URL("../../", import.meta.url);

/** Reads every TypeScript file of the project outside `tests`, by its path. */
export async function readProject(
  folders: readonly string[] = [
    ...["src", "node_compat", "scenarios", "bench", "runtimes"],
    ...["playground", "site", "scripts"],
  ],
  root: URL = thisProject,
): Promise<Map<string, string>> {
  const paths = existsSync(new URL("mod.ts", root)) ? ["mod.ts"] : [];
  for (const folder of folders) {
    for (const ending of [".ts", ".tsx"]) paths.push(...await listFiles(root, folder, ending));
  }
  const texts = await Promise.all(paths.map((path) => readFile(new URL(path, root), "utf8")));
  return new Map(paths.map((path, index) => [path, texts[index]!]));
}
