import { posix } from "node:path";
import ts from "typescript";
import { importsOf, readProject, reportProblems } from "./read_project.ts";
import { type Export, listExports } from "./list_exports.ts";
import { packageFaces } from "./package_faces.ts";

/**
 * Names what would be published though no import reaches it.
 *
 * @param files The text of each file by its path in the project.
 * @param faces The modules that the package exports.
 */
function reachProblems(
  files: ReadonlyMap<string, string>,
  faces: readonly string[],
): string[] {
  const reached = new Set(faces);
  for (const path of reached) {
    for (const fileName of importsOf(files.get(path) ?? "")) {
      if (fileName.startsWith(".")) reached.add(posix.join(posix.dirname(path), fileName));
    }
  }
  return [...files.keys()]
    .filter((path) => /^(?:src|node_compat)\//.test(path) && !reached.has(path))
    .map((path) => `${path} is published, and no export reaches it`);
}

function plain(name: string): string {
  return name.replaceAll("_", "").toLowerCase();
}

/** What is wrong with one file that the face re-exports names from. */
function fileProblems(
  path: string,
  files: ReadonlyMap<string, string>,
  wanted: readonly string[],
  known: Map<string, Export[]>,
): string[] {
  const problems: string[] = [];
  const declared = listExports(path, files, known);
  const symbol = posix.basename(path, ".ts");
  for (const name of wanted) {
    const found = declared.find((entry) => entry.name === name);
    if (found === undefined) problems.push(`${path}: does not export ${name}`);
    else if (found.documentation === "") problems.push(`${path}: ${name} has no doc comment`);
    else if (!found.isType && !/@example[\s\S]*```ts[\s\S]*assert/.test(found.documentation)) {
      problems.push(`${path}: ${name} has no @example that asserts`);
    }
  }
  const values = declared.filter(({ isType, name }) => !isType && wanted.includes(name));
  if (values.length > 1) {
    problems.push(
      `${path}: has several public symbols, ${values.map(({ name }) => name).join(", ")}`,
    );
  }
  const [value] = values;
  if (value !== undefined && !values.some(({ name }) => plain(name) === plain(symbol))) {
    problems.push(`${path}: is not named for its symbol ${value.name}`);
  }
  return problems;
}

/** Reads a face such as `mod.ts`: which names it re-exports from which file. */
function readFace(path: string, text: string, problems: string[]): Map<string, string[]> {
  const reexports = new Map<string, string[]>();
  if (!/^\s*\/\*\*[\s\S]*?@module[\s\S]*?\*\//.test(text)) {
    problems.push(`${path}: does not begin with a doc block that has @module`);
  }
  for (
    const statement of ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true).statements
  ) {
    if (
      !ts.isExportDeclaration(statement) || statement.moduleSpecifier === undefined ||
      statement.exportClause === undefined || !ts.isNamedExports(statement.exportClause)
    ) {
      problems.push(
        `${path}: may only re-export by name, has ${statement.getText().split("\n")[0]}`,
      );
      continue;
    }
    const specifier = (statement.moduleSpecifier as ts.StringLiteral).text;
    const file = posix.join(posix.dirname(path), specifier);
    const names = statement.exportClause.elements.map((entry) =>
      (entry.propertyName ?? entry.name).text
    );
    reexports.set(file, [...reexports.get(file) ?? [], ...names]);
  }
  return reexports;
}

/**
 * Holds the library's face and the files behind it to the rule "one public symbol per file, named for it,
 * with an example that asserts", and finds files in `scenarios` that nothing imports or starts.
 *
 * @param files The text of each file by its path in the project.
 * @param faces The files that re-export, such as `mod.ts`.
 */
function exportProblems(
  files: ReadonlyMap<string, string>,
  faces: readonly string[],
): string[] {
  const problems: string[] = [];
  const used = new Set<string>();
  const known = new Map<string, Export[]>();
  for (const face of faces) {
    const text = files.get(face);
    if (text === undefined) {
      problems.push(`${face}: is missing`);
      continue;
    }
    for (const [path, names] of readFace(face, text, problems)) {
      const target = files.get(path);
      if (target === undefined) problems.push(`${face}: re-exports ${path}, which is missing`);
      else problems.push(...fileProblems(path, files, names, known));
    }
  }
  for (const [path, text] of files) {
    if (/^scenarios\/.*^if \(import\.meta\.main\)/ms.test(`${path}\n${text}`)) used.add(path);
    // What a thread or a process begins with is named by its address.
    const begun = text.matchAll(/new URL\(\s*"([^"]+\.ts)",\s*import\.meta\.url,?\s*\)/g);
    for (const [, name] of begun) used.add(posix.join(posix.dirname(path), name!));
    for (const name of importsOf(text)) {
      if (name.startsWith(".")) used.add(posix.join(posix.dirname(path), name));
    }
  }
  for (const path of files.keys()) {
    if (path.startsWith("scenarios/") && !used.has(path)) {
      problems.push(`${path}: nothing imports or starts it`);
    }
  }
  return problems;
}

const faces = [...packageFaces.values()];
const files = await readProject();
reportProblems("exports", [...exportProblems(files, faces), ...reachProblems(files, faces)]);
