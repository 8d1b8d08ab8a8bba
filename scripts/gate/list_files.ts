import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const unvisited = new Set(["node_modules", ".git", "data"]);

/** Lists the files below `folder` of the project whose name ends so, as sorted paths with `/`; none if it is missing. */
export async function listFiles(root: URL, folder: string, ending: string): Promise<string[]> {
  const entries = await readdir(new URL(`${folder}/`, root), { withFileTypes: true })
    .catch((error) => {
      if (error.code === "ENOENT") return [];
      throw new Error(`Cannot list ${fileURLToPath(new URL(folder, root))}: ${error.message}`, {
        cause: error,
      });
    });
  const paths: string[] = [];
  for (const entry of entries) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (!unvisited.has(entry.name)) paths.push(...await listFiles(root, path, ending));
    } else if (entry.name.endsWith(ending)) paths.push(path);
  }
  return paths.sort();
}
