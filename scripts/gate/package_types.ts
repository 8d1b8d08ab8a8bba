import { copyFile, mkdir, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileWith } from "./compile_with.ts";
import { type TypeProject, typeProjects } from "./type_projects.ts";
import type { PackageProject } from "./with_package.ts";

const rootPath = fileURLToPath(new URL("../../", import.meta.url));
const files = [
  ...["_cases.ts", "_programs.ts", "_node_programs.ts", "_bun_programs.ts"].map((name) =>
    `types/${name}`
  ),
  // Imports from every export.
  "package/project/main.ts",
];

/** The programs that a project can know: those of a runtime need its types. */
function filesOf({ packages }: TypeProject): string[] {
  return files.filter((file) =>
    /node|main/.test(file)
      ? "@types/node" in packages
      : !file.includes("bun") || "bun-types" in packages
  );
}

/** Makes a project beside others that has the library installed, and some packages of ours; returns its folder. */
async function makeProject(
  folder: string,
  name: string,
  packages: TypeProject["packages"],
  files: readonly string[],
): Promise<string> {
  const place = join(folder, name);
  const link = async (name: string, target: string) => {
    const path = join(place, "node_modules", name);
    await mkdir(dirname(path), { recursive: true });
    await symlink(target, path, "junction");
  };
  await link("@hosepipe", join(folder, "node_modules/@hosepipe"));
  for (const [name, target] of Object.entries(packages)) {
    await link(name, join(rootPath, "node_modules", target));
  }
  for (const file of files) {
    await copyFile(join(rootPath, "tests", file), join(place, basename(file)));
  }
  await writeFile(join(place, "package.json"), `{ "private": true, "type": "module" }\n`);
  return place;
}

/**
 * Checks in projects that have the library installed what tests/types says of its types, with the lowest and the newest
 * compiler, and with Deno; returns how many projects there are.
 */
export async function checkPackageTypes(project: PackageProject): Promise<number> {
  const { folder, run, deno, signal } = project;
  for (const [index, project] of typeProjects.entries()) {
    const { compiler, compilerOptions, name, packages } = project;
    const place = await makeProject(folder, `types-${index}`, packages, filesOf(project));
    const config = { compilerOptions, files: filesOf(project).map((file) => basename(file)) };
    await writeFile(join(place, "tsconfig.json"), JSON.stringify(config, undefined, 2));
    const found = await compileWith(compiler, place, ["--project", "tsconfig.json"], signal);
    if (found !== undefined) throw new Error(`${name} failed:\n${found}`);
  }
  // What Deno itself knows of `node:` modules refers to that package.
  const packages = { "@types/node": "@types/node" };
  const denoFiles = ["types/_cases.ts", "types/_programs.ts"];
  const place = await makeProject(folder, "types-deno", packages, denoFiles);
  await run("deno check", place, [deno, "check", ...denoFiles.map((file) => basename(file))]);
  return typeProjects.length + 1;
}
