import { copyFile, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findRuntime } from "../../runtimes/find_runtime.ts";
import { parseCommandLine } from "../command_line/parse_command_line.ts";
import { runCommand } from "../command_line/run_command.ts";
import { type TypeProject, typeProjects } from "./type_projects.ts";
import { type PackageProject, withPackage } from "./with_package.ts";

const rootPath = fileURLToPath(new URL("../../", import.meta.url));
const files = ["_cases.ts", "_programs.ts", "_node_programs.ts", "_bun_programs.ts"];

/** The programs that a project can know: those of a runtime need its types. */
function filesOf({ packages }: TypeProject): string[] {
  return files.filter((file) =>
    file.includes("node")
      ? "@types/node" in packages
      : !file.includes("bun") || "bun-types" in packages
  );
}

/** Checks every project; returns how many there are. */
async function checkTypes({ folder, run, deno }: PackageProject): Promise<number> {
  const node = (await findRuntime("node")).executable;
  for (const file of files) await copyFile(join(rootPath, "tests/types", file), join(folder, file));

  const installed = join(folder, "node_modules/@hosepipe");
  for (const [index, project] of typeProjects.entries()) {
    const place = join(folder, `project-${index}`);
    const link = async (name: string, target: string) => {
      const path = join(place, "node_modules", name);
      await mkdir(dirname(path), { recursive: true });
      await symlink(target, path, "junction");
    };
    await link("@hosepipe", installed);
    for (const [name, target] of Object.entries(project.packages)) {
      await link(name, join(rootPath, "node_modules", target));
    }
    for (const file of filesOf(project)) await copyFile(join(folder, file), join(place, file));
    const { compilerOptions } = project;
    const config = { compilerOptions, files: filesOf(project) };
    await writeFile(join(place, "tsconfig.json"), JSON.stringify(config, undefined, 2));
    await writeFile(join(place, "package.json"), `{ "private": true, "type": "module" }\n`);
    const compiler = join(rootPath, "node_modules", project.compiler, "bin/tsc");
    await run(project.name, place, [node, compiler, "--project", "tsconfig.json"]);
  }
  // What Deno itself knows of `node:` modules refers to that package.
  await mkdir(join(folder, "node_modules/@types"));
  await symlink(
    join(rootPath, "node_modules/@types/node"),
    join(folder, "node_modules/@types/node"),
    "junction",
  );
  await run("deno check", folder, [deno, "check", "_cases.ts", "_programs.ts"]);
  return typeProjects.length + 1;
}

await runCommand(async (args, signal) => {
  parseCommandLine(args, {
    command: "deno run -A scripts/gate/check_types.ts",
    about:
      "Packs the library, installs it in new projects without a network, and checks there what\n" +
      "tests/types says of its types: with the lowest and the newest compiler, and with Deno.",
    flags: {},
    examples: [
      "deno run -A scripts/gate/check_types.ts",
      "HOSEPIPE_DENO=/opt/deno/bin/deno deno run -A scripts/gate/check_types.ts",
    ],
  });
  console.log(`types in ${await withPackage(signal, checkTypes)} projects: in order`);
});
