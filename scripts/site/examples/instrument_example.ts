import ts from "typescript";

const assertions = /^assert(?:Equals|InstanceOf|Match|Rejects|Throws)?$/;

/** An assertion of an example. */
export interface AssertedPlace {
  readonly name: string;
  /** What it asserts something of, as code. */
  readonly of: string;
  /** What that is compared with, as code; undefined of one argument. */
  readonly to: string | undefined;
  /** Whether that stands there as it is, so that it is the same in each run. */
  readonly isLiteral: boolean;
}

/** Whether code names a value of the program, which may differ from run to run. */
function namesValue(node: ts.Node): boolean {
  if (ts.isIdentifier(node)) return !/^(?:[A-Z]|undefined$)/.test(node.text);
  if (ts.isPropertyAccessExpression(node)) return namesValue(node.expression);
  if (ts.isPropertyAssignment(node)) return namesValue(node.initializer);
  return ts.forEachChild(node, namesValue) ?? false;
}

/** Code on one line, without the breaks and the last comma of a list. */
function oneLine(code: string): string {
  return code.replace(/([([])\s*\n\s*/g, "$1").replace(/,?\s*\n\s*([)\]])/g, "$1")
    .replace(/\s*\n\s*/g, " ").replace(/, }/g, " }");
}

/**
 * Puts a look into a program's assertions.
 *
 * @param code The program.
 * @param options `hook`, the expression that is called with the number of an assertion and the
 * function, and answers the function to call; `resolve`, which gives each import its address.
 * @returns The program, and its assertions.
 */
export function instrumentExample(
  code: string,
  { hook, resolve }: {
    readonly hook: string;
    readonly resolve: (specifier: string) => string;
  },
): { readonly code: string; readonly places: readonly AssertedPlace[] } {
  const file = ts.createSourceFile("example.ts", code, ts.ScriptTarget.ESNext, true);
  const places: AssertedPlace[] = [];
  const changes: [from: number, to: number, text: string][] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      const { moduleSpecifier } = node;
      const address = resolve((moduleSpecifier as ts.StringLiteral).text);
      changes.push([moduleSpecifier.getStart(), moduleSpecifier.end, JSON.stringify(address)]);
      return;
    }
    if (ts.isCallExpression(node) && assertions.test(node.expression.getText())) {
      const name = node.expression.getText();
      const [of, to] = node.arguments;
      const { expression } = node;
      changes.push([expression.getStart(), expression.end, `${hook}(${places.length},${name})`]);
      places.push({
        ...{ name, of: oneLine(of!.getText()), to: to && oneLine(to.getText()) },
        isLiteral: to === undefined || !namesValue(to),
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  let changed = code;
  for (const [from, to, text] of changes.toReversed()) {
    changed = changed.slice(0, from) + text + changed.slice(to);
  }
  return { code: changed, places };
}
