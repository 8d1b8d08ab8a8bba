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
export function signaturesOf(statements: readonly ts.Statement[]): Signature[] {
  const hasBody = (statement: ts.Statement) =>
    ts.isFunctionDeclaration(statement) && statement.body !== undefined;
  return statements.filter((one) => statements.length === 1 || !hasBody(one))
    .map((one) => ({ ...declarationOf(one), documentation: documentationOf(one) }));
}
