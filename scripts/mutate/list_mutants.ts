import ts from "typescript";

const { SyntaxKind } = ts;

/** One small change of one file. */
export interface Mutant {
  readonly path: string;
  /** Where it begins, both from 1. */
  readonly line: number;
  readonly column: number;
  /** What is replaced: the text from `start` to `end`. */
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
}

/** Operators, each with the one that is put in its place. */
const swaps: ReadonlyMap<string, string> = new Map([
  ...[["+", "-"], ["-", "+"], ["*", "/"], ["/", "*"], ["%", "*"], ["+=", "-="], ["-=", "+="]],
  ...[["<", "<="], ["<=", "<"], [">", ">="], [">=", ">"]],
  ...[["===", "!=="], ["!==", "==="], ["==", "!="], ["!=", "=="]],
  ...[["&&", "||"], ["||", "&&"], ["??=", "="], ["||=", "="], ["&&=", "="]],
] as [string, string][]);

/** What belongs to types, to modules or to what a person reads: no change of it changes what the code does. */
function isSkipped(node: ts.Node): boolean {
  return ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) || ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node);
}

function isLiteralOfMessage(node: ts.Node): boolean {
  for (let up = node.parent; up !== undefined; up = up.parent) {
    if (ts.isThrowStatement(up)) return true;
    // `throwTypeError(action, name, need, value)` and the checks beside it are given words for a message.
    if (ts.isCallExpression(up) && /^(?:throw|check)[A-Z]/.test(up.expression.getText())) {
      return true;
    }
    if (ts.isBlock(up)) return false;
  }
  return false;
}

/** What replaces `node`: nothing for what is left alone. */
function changesOf(node: ts.Node): [start: number, end: number, after: string][] {
  const [start, end] = [node.getStart(), node.getEnd()];
  const whole = (after: string): [number, number, string] => [start, end, after];
  const swap = (token: ts.Node): [number, number, string][] => {
    const after = swaps.get(token.getText());
    return after === undefined ? [] : [[token.getStart(), token.getEnd(), after]];
  };
  if (ts.isBinaryExpression(node)) {
    if (node.operatorToken.kind !== SyntaxKind.QuestionQuestionToken) {
      return swap(node.operatorToken);
    }
    return [whole(node.left.getText()), whole(node.right.getText())];
  }
  if (ts.isPrefixUnaryExpression(node)) {
    if (
      node.operator === SyntaxKind.PlusPlusToken || node.operator === SyntaxKind.MinusMinusToken
    ) {
      const after = node.operator === SyntaxKind.PlusPlusToken ? "--" : "++";
      return [[start, node.operand.getStart(), after]];
    }
    return [whole(node.operand.getText())];
  }
  if (ts.isPostfixUnaryExpression(node)) {
    const after = node.operator === SyntaxKind.PlusPlusToken ? "--" : "++";
    return [[node.operand.getEnd(), end, after]];
  }
  if (ts.isIfStatement(node)) {
    return ["true", "false"].map((
      after,
    ) => [node.expression.getStart(), node.expression.getEnd(), after]);
  }
  if (ts.isConditionalExpression(node)) {
    return [whole(node.whenTrue.getText()), whole(node.whenFalse.getText())];
  }
  if (ts.isWhileStatement(node) && node.expression.kind !== SyntaxKind.TrueKeyword) {
    return [[node.expression.getStart(), node.expression.getEnd(), "false"]];
  }
  if (ts.isForStatement(node) && node.condition !== undefined) {
    return [[node.condition.getStart(), node.condition.getEnd(), "false"]];
  }
  if (node.kind === SyntaxKind.TrueKeyword) return [whole("false")];
  if (node.kind === SyntaxKind.FalseKeyword) return [whole("true")];
  if (ts.isNumericLiteral(node)) {
    return [whole(String(Number(node.text.replaceAll("_", "")) + 1))];
  }
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
    return isLiteralOfMessage(node) ? [] : [whole(node.text === "" ? '"changed"' : '""')];
  }
  if (ts.isArrayLiteralExpression(node)) return node.elements.length > 0 ? [whole("[]")] : [];
  if (ts.isAwaitExpression(node)) return [whole(node.expression.getText())];
  if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) {
    return [[node.body.getStart(), node.body.getEnd(), "undefined"]];
  }
  if (ts.isExpressionStatement(node)) {
    const isSuper = ts.isCallExpression(node.expression) &&
      node.expression.expression.kind === SyntaxKind.SuperKeyword;
    return isSuper || ts.isStringLiteral(node.expression) ? [] : [whole(";")];
  }
  if (ts.isThrowStatement(node)) return [whole(";")];
  if (ts.isReturnStatement(node) && node.expression !== undefined) {
    // What asks whether something is so takes nothing for false.
    return /^(?:false|undefined)$/.test(node.expression.getText()) ? [] : [whole("return;")];
  }
  if (node.kind === SyntaxKind.QuestionDotToken) {
    const { parent } = node;
    const isNamed = ts.isPropertyAccessExpression(parent);
    return [whole(isNamed ? "." : "")];
  }
  return [];
}

/** Whether a literal is a name, as in `{ "a-b": 1 }`, or part of a pattern, as in `[one] = two`. */
function isName(node: ts.Node): boolean {
  const { parent } = node;
  if (parent === undefined) return false;
  if ("name" in parent && parent.name === node) return true;
  if ("propertyName" in parent && parent.propertyName === node) return true;
  return ts.isArrayLiteralExpression(node) && ts.isBinaryExpression(parent) &&
    parent.left === node && parent.operatorToken.kind === SyntaxKind.EqualsToken;
}

/** Lists every change of one place that this knows for a file's text, in the text's order. */
export function listMutants(path: string, text: string): Mutant[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
  const mutants: Mutant[] = [];
  const visit = (node: ts.Node): void => {
    if (isSkipped(node)) return;
    if (!isName(node)) {
      for (const [start, end, after] of changesOf(node)) {
        const { line, character } = file.getLineAndCharacterOfPosition(start);
        const before = text.slice(start, end);
        if (before === after) continue;
        mutants.push({
          ...{ path, line: line + 1, column: character + 1 },
          ...{ start, end, before, after },
        });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return mutants.toSorted((one, other) => one.start - other.start);
}
