import { posix } from "node:path";
import ts from "typescript";

interface Export {
  readonly name: string;
  readonly isType: boolean;
  readonly documentation: string;
}

function parse(path: string, text: string): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
}

function documentationOf(node: ts.Node): string {
  return ts.getJSDocCommentsAndTags(node).map((part) => part.getText()).join("\n");
}

/** The names a file declares and exports; overloads are one. */
function exportsOf(source: ts.SourceFile): Export[] {
  const found = new Map<string, Export>();
  const add = (name: string, isType: boolean, node: ts.Node) => {
    const documentation = `${found.get(name)?.documentation ?? ""}${documentationOf(node)}`;
    found.set(name, { name, isType, documentation });
  };
  for (const statement of source.statements) {
    if (!ts.canHaveModifiers(statement)) continue;
    const modifiers = ts.getModifiers(statement) ?? [];
    if (!modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) continue;
    if (ts.isVariableStatement(statement)) {
      for (const { name } of statement.declarationList.declarations) {
        add(name.getText(), false, statement);
      }
    } else if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) {
      add(statement.name.text, true, statement);
    } else if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) {
      add(statement.name?.text ?? "default", false, statement);
    }
  }
  return [...found.values()];
}

function plain(name: string): string {
  return name.replaceAll("_", "").toLowerCase();
}

/** What is wrong with one file that the face re-exports names from. */
function fileProblems(path: string, text: string, wanted: readonly string[]): string[] {
  const problems: string[] = [];
  const declared = exportsOf(parse(path, text));
  const symbol = posix.basename(path, ".ts");
  for (const name of wanted) {
    const found = declared.find((entry) => entry.name === name);
    if (found === undefined) problems.push(`${path}: does not declare and export ${name}`);
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
  for (const statement of parse(path, text).statements) {
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
 * Holds the library's face and the files behind it to the rule «one public symbol per file, named for it,
 * with an example that asserts», and finds files in `src` that nobody exports or imports.
 *
 * @param files The text of each file by its path in the project.
 * @param faces The files that re-export, such as `mod.ts`.
 */
export function exportProblems(
  files: ReadonlyMap<string, string>,
  faces: readonly string[],
): string[] {
  const problems: string[] = [];
  const used = new Set<string>();
  for (const face of faces) {
    const text = files.get(face);
    if (text === undefined) {
      problems.push(`${face}: is missing`);
      continue;
    }
    for (const [path, names] of readFace(face, text, problems)) {
      used.add(path);
      const target = files.get(path);
      if (target === undefined) problems.push(`${face}: re-exports ${path}, which is missing`);
      else problems.push(...fileProblems(path, target, names));
    }
  }
  for (const [path, text] of files) {
    for (const { fileName } of ts.preProcessFile(text, true, true).importedFiles) {
      if (fileName.startsWith(".")) used.add(posix.join(posix.dirname(path), fileName));
    }
  }
  for (const path of files.keys()) {
    if (path.startsWith("src/") && !used.has(path)) {
      problems.push(`${path}: is neither re-exported by ${faces.join(" or ")} nor imported`);
    }
  }
  return problems;
}
