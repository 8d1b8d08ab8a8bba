import { posix } from "node:path";
import ts from "typescript";

/** A name that a file exports. */
export interface Export {
  readonly name: string;
  readonly isType: boolean;
  /** Its doc comment with the marks; empty if it has none. */
  readonly documentation: string;
  /** The file that declares it. */
  readonly path: string;
  /** Where it does: several of a function with overloads. */
  readonly declarations: readonly ts.Statement[];
}

function parse(path: string, text: string): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
}

function documentationOf(node: ts.Node): string {
  return ts.getJSDocCommentsAndTags(node).map((part) => part.getText()).join("\n");
}

/** The names that a file declares itself and exports; overloads are one. */
function declaredExports(source: ts.SourceFile): Map<string, Export> {
  const found = new Map<string, Export>();
  const add = (name: string, isType: boolean, node: ts.Statement) => {
    const { documentation = "", declarations = [] } = found.get(name) ?? {};
    found.set(name, {
      ...{ name, isType, path: source.fileName },
      documentation: documentation + documentationOf(node),
      declarations: [...declarations, node],
    });
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
  return found;
}

/** Where a file's imported names come from. */
function importedNames(source: ts.SourceFile): Map<string, string> {
  const origins = new Map<string, string>();
  for (const statement of source.statements) {
    const bindings = ts.isImportDeclaration(statement) && statement.importClause?.namedBindings;
    if (!bindings || !ts.isNamedImports(bindings)) continue;
    const { text } = statement.moduleSpecifier as ts.StringLiteral;
    for (const { name } of bindings.elements) origins.set(name.text, text);
  }
  return origins;
}

/**
 * The names that a file exports, also those that it takes from a file beside it under the same name.
 *
 * @param path The file.
 * @param files The text of each file by its path in the project.
 * @param known What other files export, as far as it has been found; grows.
 */
export function listExports(
  path: string,
  files: ReadonlyMap<string, string>,
  known: Map<string, Export[]> = new Map(),
): Export[] {
  const before = known.get(path);
  if (before !== undefined) return before;
  const source = parse(path, files.get(path) ?? "");
  const found = declaredExports(source);
  const imported = importedNames(source);
  for (const statement of source.statements) {
    if (!ts.isExportDeclaration(statement)) continue;
    const { exportClause, moduleSpecifier } = statement;
    if (exportClause === undefined || !ts.isNamedExports(exportClause)) continue;
    for (const { name } of exportClause.elements) {
      const from = (moduleSpecifier as ts.StringLiteral | undefined)?.text ??
        imported.get(name.text);
      if (from === undefined) continue;
      const origin = posix.join(posix.dirname(path), from);
      const original = listExports(origin, files, known).find((entry) => entry.name === name.text);
      if (original !== undefined) found.set(name.text, original);
    }
  }
  const exported = [...found.values()];
  known.set(path, exported);
  return exported;
}
