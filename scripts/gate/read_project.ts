import { readdir, readFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import process from "node:process";

/** Prints what a check found, or that it found nothing, and sets the exit code. */
export function reportProblems(checked: string, problems: readonly string[]): void {
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`${checked}: in order`);
}

/** What a program imports, as it names it, types included. */
export function importsOf(code: string): string[] {
  return ts.preProcessFile(code, true, true).importedFiles.map(({ fileName }) => fileName);
}

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

const thisProject = new URL("../../", import.meta.url);

/** Reads every TypeScript file of the project outside `tests`, by its path. */
export async function readProject(
  folders: readonly string[] = [
    ...["src", "node_compat", "scenarios", "bench", "runtimes", "cli"],
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
