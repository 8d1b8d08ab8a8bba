import { fileURLToPath } from "node:url";
import ts from "typescript";
import { serverRooms } from "./import_problems.ts";
import { readProject } from "./read_project.ts";
import { reportProblems } from "./report_problems.ts";

// The library may use what every browser has: a program with DOM types and no runtime's globals proves it. Of the
// language, ES2023 is what Safari 16.4 knows; of disposing, the types.
const root = new URL("../../", import.meta.url);
const paths = [...(await readProject(["src"])).keys()].filter((path) => !serverRooms.test(path));

const program = ts.createProgram(paths.map((path) => fileURLToPath(new URL(path, root))), {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts", "lib.dom.d.ts"],
  types: [],
  strict: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  erasableSyntaxOnly: true,
});
const problems = ts.getPreEmitDiagnostics(program).map((diagnostic) =>
  ts.formatDiagnostic(diagnostic, {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory: () => fileURLToPath(root),
    getNewLine: () => "\n",
  }).trim()
);
reportProblems(`browser types of ${paths.length} files`, problems);
