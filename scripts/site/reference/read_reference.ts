import { readFile } from "node:fs/promises";
import { posix } from "node:path";
import { type Export, listExports } from "../../gate/list_exports.ts";
import { readProject } from "../../gate/read_project.ts";
import ts from "typescript";

/** A member of an interface or a class that has documentation of its own. */
export interface Member {
  /** As it is declared, without a body. */
  readonly signature: string;
  /** Its doc comment with the marks. */
  readonly documentation: string;
}

/** How a symbol is declared, as TypeScript. */
export interface Signature {
  readonly code: string;
  readonly members: readonly Member[];
  /** Its doc comment with the marks. */
  readonly documentation: string;
}

/** The most call signatures of an interface that are shown: they differ by their number of arguments. */
const mostCalls = 3;

function documentationOf(node: ts.Node): string {
  return ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc).map((part) => part.getText())
    .join("\n");
}

/** The text of a node up to a part of it, as `}` of its body's beginning. */
function upTo(node: ts.Node, end: ts.Node | undefined): string {
  const text = node.getSourceFile().text.slice(node.getStart(), end?.getFullStart() ?? node.end);
  return text.trim().replace(/[;,]$/, "");
}

function isHidden(member: ts.ClassElement | ts.TypeElement): boolean {
  const { PrivateKeyword, ProtectedKeyword } = ts.SyntaxKind;
  const modifiers = ts.canHaveModifiers(member) ? ts.getModifiers(member) ?? [] : [];
  return modifiers.some(({ kind }) => kind === PrivateKeyword || kind === ProtectedKeyword) ||
    (member.name !== undefined && ts.isPrivateIdentifier(member.name)) ||
    ts.isClassStaticBlockDeclaration(member) || ts.isSemicolonClassElement(member);
}

function signatureOfMember(member: ts.ClassElement | ts.TypeElement): string {
  if (ts.isPropertyDeclaration(member)) {
    const text = upTo(member, member.initializer).replace(/\s*=$/, "");
    return text;
  }
  return upTo(member, (member as ts.MethodDeclaration).body);
}

function membersOf(node: ts.InterfaceDeclaration | ts.ClassDeclaration): Member[] {
  const members: readonly (ts.ClassElement | ts.TypeElement)[] = node.members;
  return members.filter((member) => !isHidden(member)).map((member) => ({
    signature: signatureOfMember(member),
    documentation: documentationOf(member),
  }));
}

function withMembers(
  node: ts.InterfaceDeclaration | ts.ClassDeclaration,
): Omit<Signature, "documentation"> {
  const { text } = node.getSourceFile();
  const head = text.slice(node.getStart(), node.members.pos).replace(/^export (?:default )?/, "");
  const members = membersOf(node);
  const isCall = (signature: string) => /^[<(]/.test(signature);
  const shown = members.filter(({ signature }, index) => !isCall(signature) || index < mostCalls);
  const left = members.length - shown.length;
  const lines = [
    ...shown.map(({ signature }) => `  ${signature};`),
    ...left > 0 ? [`  // … and ${left} more, each with one stage more`] : [],
  ];
  return {
    code: lines.length > 0 ? `${head.trim()}\n${lines.join("\n")}\n}` : `${head.trim()}}`,
    members: shown.filter(({ documentation, signature }) =>
      documentation !== "" && !isCall(signature)
    ),
  };
}

function declarationOf(statement: ts.Statement): Omit<Signature, "documentation"> {
  if (ts.isInterfaceDeclaration(statement) || ts.isClassDeclaration(statement)) {
    return withMembers(statement);
  }
  if (ts.isVariableStatement(statement)) {
    const [declaration] = statement.declarationList.declarations;
    const { name, type } = declaration!;
    return { code: `const ${name.getText()}: ${type?.getText() ?? "unknown"}`, members: [] };
  }
  const body = ts.isFunctionDeclaration(statement) ? statement.body : undefined;
  const code = upTo(statement, body).replace(/^export (?:default )?/, "");
  return { code: code.replace(/^\s*(?:\/\*\*[\s\S]*?\*\/|\/\/.*)\n/gm, ""), members: [] };
}

/** How a symbol is declared: of a function with overloads all of these, and not what they run. */
function signaturesOf(statements: readonly ts.Statement[]): Signature[] {
  const hasBody = (statement: ts.Statement) =>
    ts.isFunctionDeclaration(statement) && statement.body !== undefined;
  return statements.filter((one) => statements.length === 1 || !hasBody(one))
    .map((one) => ({ ...declarationOf(one), documentation: documentationOf(one) }));
}

/** A tag of a doc comment, such as `@param size How many`. */
interface DocumentationTag {
  readonly name: string;
  readonly text: string;
}

/** A doc comment in its parts, in Markdown. */
export interface Documentation {
  readonly text: string;
  readonly tags: readonly DocumentationTag[];
}

/** Takes a doc comment apart; what is not one is empty. */
export function parseDocumentation(comment: string): Documentation {
  const lines = comment.replace(/^\s*\/\*\*?/, "").replace(/\s*\*\/\s*$/, "").split("\n")
    .map((line) => line.replace(/^\s*\*? ?/, ""));
  const parts: { name: string; lines: string[] }[] = [{ name: "", lines: [] }];
  let isCode = false;
  for (const line of lines) {
    const [, name, rest] = (!isCode && /^@(\w+)\s*(.*)$/.exec(line)) || [];
    if (name !== undefined) parts.push({ name, lines: [rest!] });
    else parts.at(-1)!.lines.push(line);
    if (line.trimStart().startsWith("```")) isCode = !isCode;
  }
  const [first, ...tags] = parts.map(({ name, lines }) => ({
    name,
    text: lines.join("\n").trim()
      .replace(
        /\{@link(?:code|plain)?\s+([^}|]+?)(?:\s*\|\s*([^}]+))?\}/g,
        (_, to, as) => as ?? `\`${to}\``,
      ),
  }));
  return { text: first!.text, tags };
}

/** A page of the reference as far as types go: its symbols, and what their declarations say. */
interface TypedPage {
  readonly symbols: readonly {
    readonly name: string;
    readonly isType: boolean;
    readonly signatures: readonly { readonly code: string }[];
  }[];
}

function hasValue(page: TypedPage): boolean {
  return page.symbols.some(({ isType }) => !isType);
}

function mentions(page: TypedPage, name: string): boolean {
  const pattern = new RegExp(`\\b${name}\\b`);
  return page.symbols.some((symbol) =>
    symbol.name !== name && symbol.signatures.some(({ code }) => pattern.test(code))
  );
}

/** The page that a type is read on best: of the function whose options it is, or of the only one that needs it. */
function homeOf<Page extends TypedPage>(name: string, pages: readonly Page[]): Page | undefined {
  const owner = pages.find(({ symbols }) =>
    symbols.some((symbol) =>
      !symbol.isType && `${symbol.name}Options`.toLowerCase() === name.toLowerCase()
    )
  );
  if (owner !== undefined) return owner;
  const users = pages.filter((page) => mentions(page, name));
  return users.length === 1 && hasValue(users[0]!) ? users[0] : undefined;
}

/**
 * Moves types to the page of the function that they belong to, so that a function and its options are read together,
 * wherever they are declared; types of several functions stay where they are.
 */
function adoptTypes<Page extends TypedPage>(pages: readonly Page[]): Page[] {
  let current = [...pages];
  for (;;) {
    const homeless = current.filter((page) => !hasValue(page)).flatMap(({ symbols }) => symbols);
    const moved = homeless.find(({ name }) => homeOf(name, current) !== undefined);
    if (moved === undefined) return current;
    const home = homeOf(moved.name, current)!;
    current = current.map((page) => {
      if (page === home) return { ...page, symbols: [...page.symbols, moved] };
      return { ...page, symbols: page.symbols.filter((symbol) => symbol !== moved) };
    }).filter(({ symbols }) => symbols.length > 0);
  }
}

/** A name that an entry of the package exports. */
export interface ReferenceSymbol {
  readonly name: string;
  readonly isType: boolean;
  /** Of a function with overloads the first one's. */
  readonly documentation: Documentation;
  readonly signatures: readonly Signature[];
}

/** The symbols of an entry that one file declares: a function and the types it is called with. */
export interface ReferencePage {
  readonly path: string;
  /** The file in the project. */
  readonly source: string;
  readonly symbols: readonly ReferenceSymbol[];
}

/** An entry of the package, such as `@hosepipe/streams/node`. */
export interface ReferenceEntry {
  readonly specifier: string;
  /** The page that lists what is in it. */
  readonly path: string;
  readonly documentation: Documentation;
  readonly pages: readonly ReferencePage[];
}

/** Where in the site an entry's pages are. */
function folderOf(subpath: string): string {
  return `reference/${subpath === "." ? "streams" : subpath.slice(2).replaceAll("/", "-")}`;
}

function pageOf(
  folder: string,
  source: string,
  symbols: readonly ReferenceSymbol[],
): ReferencePage {
  const stem = posix.basename(source, ".ts").replaceAll("_", "-");
  return { path: `${folder}/${stem}.html`, source, symbols };
}

function readEntry(
  subpath: string,
  file: string,
  name: string,
  files: ReadonlyMap<string, string>,
  known: Map<string, Export[]>,
): ReferenceEntry {
  const folder = folderOf(subpath);
  const bySource = new Map<string, ReferenceSymbol[]>();
  for (const { name, isType, path, declarations } of listExports(file, files, known)) {
    const signatures = signaturesOf(declarations);
    const comments = signatures.map((one) => one.documentation);
    const documentation = parseDocumentation(comments.find((comment) => comment !== "") ?? "");
    const symbol = { name, isType, signatures, documentation };
    bySource.set(path, [...bySource.get(path) ?? [], symbol]);
  }
  const declared = [...bySource].map(([source, symbols]) => {
    const sorted = symbols.toSorted((one, other) => Number(one.isType) - Number(other.isType));
    return pageOf(folder, source, sorted);
  });
  const pages = adoptTypes(declared);
  const stems = pages.map(({ path }) => path);
  // Two files of one name, from two folders: the second is called by its folder too.
  const distinct = pages.map((page, index) =>
    stems.indexOf(page.path) === index ? page : {
      ...page,
      path: page.path.replace(/([^/]+)$/, `${posix.basename(posix.dirname(page.source))}-$1`),
    }
  );
  return {
    specifier: subpath === "." ? name : `${name}${subpath.slice(1)}`,
    path: `${folder}/index.html`,
    documentation: parseDocumentation(/\/\*\*[\s\S]*?\*\//.exec(files.get(file)!)![0]),
    pages: distinct,
  };
}

/** Reads every export of every entry of the package, with its documentation. */
export async function readReference(root: URL): Promise<ReferenceEntry[]> {
  const { name, exports } = JSON.parse(await readFile(new URL("deno.json", root), "utf8"));
  const files = await readProject(["src", "node_compat"], root);
  const known = new Map<string, Export[]>();
  return Object.entries(exports as Record<string, string>).map(([subpath, file]) =>
    readEntry(subpath, posix.normalize(file), name, files, known)
  );
}
