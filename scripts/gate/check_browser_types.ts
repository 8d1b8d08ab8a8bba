import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileWith } from "./compile_with.ts";
import { serverRooms } from "./import_problems.ts";
import { readProject, reportProblems } from "./read_project.ts";

// The library may use what every browser has: a program with DOM types and no runtime's globals proves it. Of the
// language, ES2023 is what Safari 16.4 knows; of disposing, the types.
const root = new URL("../../", import.meta.url);
const paths = [...(await readProject(["src"])).keys()].filter((path) => !serverRooms.test(path));
const compilerOptions = {
  target: "esnext",
  module: "esnext",
  moduleResolution: "bundler",
  lib: ["es2023", "esnext.disposable", "dom"],
  types: [],
  strict: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  erasableSyntaxOnly: true,
  skipDefaultLibCheck: true,
};

const folder = await mkdtemp(join(tmpdir(), "hosepipe-browser-types-"));
try {
  const config = join(folder, "tsconfig.json");
  const files = paths.map((path) => fileURLToPath(new URL(path, root)));
  await writeFile(config, JSON.stringify({ compilerOptions, files }));
  const found = await compileWith("typescript-7", fileURLToPath(root), ["--project", config]);
  reportProblems(`browser types of ${paths.length} files`, found === undefined ? [] : [found]);
} finally {
  await rm(folder, { recursive: true, force: true });
}
