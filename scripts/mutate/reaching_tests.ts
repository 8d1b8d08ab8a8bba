import { posix } from "node:path";
import ts from "typescript";
import { packageFaces } from "../gate/package_faces.ts";

/** For each name that a module only passes on, the file that it is from. */
function homesOf(path: string, text: string): Map<string, string> {
  const homes = new Map<string, string>();
  for (const statement of ts.createSourceFile(path, text, ts.ScriptTarget.ESNext).statements) {
    if (!ts.isExportDeclaration(statement) || statement.isTypeOnly) continue;
    const { exportClause, moduleSpecifier } = statement;
    if (!exportClause || !ts.isNamedExports(exportClause) || !moduleSpecifier) continue;
    const { text: specifier } = moduleSpecifier as ts.StringLiteral;
    for (const { name } of exportClause.elements) {
      homes.set(name.text, posix.join(posix.dirname(path), specifier));
    }
  }
  return homes;
}

/** What an import takes by name, if that is all it takes; types are none of it. */
function importedNames(statement: ts.Statement): { specifier: string; names?: string[] }[] {
  const isImport = ts.isImportDeclaration(statement);
  if (!isImport && !ts.isExportDeclaration(statement)) return [];
  if (statement.moduleSpecifier === undefined) return [];
  const { text: specifier } = statement.moduleSpecifier as ts.StringLiteral;
  if (!isImport) return statement.isTypeOnly ? [] : [{ specifier }];
  const { importClause } = statement;
  if (importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword) return [];
  const bindings = importClause?.namedBindings;
  if (importClause?.name || !bindings || !ts.isNamedImports(bindings)) return [{ specifier }];
  const names = bindings.elements.filter(({ isTypeOnly }) => !isTypeOnly)
    .map(({ name, propertyName }) => (propertyName ?? name).text);
  return [{ specifier, names }];
}

/** Which of our files each file needs when it runs. What is taken from a face by its name is taken from its home. */
function importGraph(files: ReadonlyMap<string, string>): Map<string, string[]> {
  const homes = new Map(
    [...packageFaces.values()].map((face) => [face, homesOf(face, files.get(face) ?? "")]),
  );
  const graph = new Map<string, string[]>();
  for (const [path, text] of files) {
    const targets = new Set<string>();
    const add = (specifier: string, taken?: readonly string[]) => {
      const own = packageFaces.get(specifier) ??
        (specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : undefined);
      if (own === undefined) return;
      const home = homes.get(own);
      if (home === undefined || taken === undefined) targets.add(own);
      else for (const name of taken) targets.add(home.get(name) ?? own);
    };
    const source = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext);
    for (const statement of source.statements) {
      for (const { specifier, names } of importedNames(statement)) add(specifier, names);
    }
    const visit = (node: ts.Node): void => {
      const isDynamic = ts.isCallExpression(node) &&
        node.expression.kind === ts.SyntaxKind.ImportKeyword;
      const [argument] = isDynamic ? node.arguments : [];
      if (argument !== undefined && ts.isStringLiteralLike(argument)) add(argument.text);
      ts.forEachChild(node, visit);
    };
    if (text.includes("import(")) visit(source);
    graph.set(path, [...targets]);
  }
  return graph;
}

/** The test that stands where the file does: `tests/stages/map_test.ts` for `src/stages/map.ts`. */
function ownTest(path: string): string {
  return `tests/${path.replace(/^src\//, "").replace(/\.ts$/, "_test.ts")}`;
}

/** How many names two paths have in common at their beginning; one of the same name elsewhere is nearer than any. */
function nearness(one: string, other: string): number {
  const [left, right] = [one.split("/"), other.split("/")];
  let common = 0;
  while (common < left.length && left[common] === right[common]) common++;
  return common + (left.at(-1) === right.at(-1) ? 100 : 0);
}

/**
 * For each file the tests whose imports reach it, those first that stand nearest to it.
 *
 * @param files The text of each file of the project, tests and what they import, by its path.
 */
export function reachingTests(
  files: ReadonlyMap<string, string>,
): Map<string, string[]> {
  const graph = importGraph(files);
  const reached = new Map<string, string[]>();
  for (const test of [...files.keys()].filter((path) => path.endsWith("_test.ts"))) {
    const seen = new Set([test]);
    for (const path of seen) for (const target of graph.get(path) ?? []) seen.add(target);
    for (const path of seen) reached.set(path, [...reached.get(path) ?? [], test]);
  }
  for (const [path, tests] of reached) {
    const own = ownTest(path);
    tests.sort((one, other) => nearness(other, own) - nearness(one, own));
  }
  return reached;
}
