import ts from "typescript";

/** A text that people read, and where in its file it begins. */
export interface Prose {
  readonly text: string;
  readonly start: number;
}

/** The comments of a program, and the texts it may show: literals, and what stands between tags. */
export function proseOf(path: string, code: string): Prose[] {
  const source = ts.createSourceFile(path, code, ts.ScriptTarget.ESNext, true);
  const found = new Map<number, Prose>();
  const add = (start: number, end: number) => {
    found.set(start, { start, text: code.slice(start, end) });
  };
  const visit = (node: ts.Node): void => {
    const comments = [
      ...ts.getLeadingCommentRanges(code, node.getFullStart()) ?? [],
      ...ts.getTrailingCommentRanges(code, node.getEnd()) ?? [],
    ];
    for (const { pos, end } of comments) add(pos, end);
    if (
      ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) ||
      ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node) || ts.isJsxText(node)
    ) add(node.getStart(), node.getEnd());
    for (const child of node.getChildren(source)) visit(child);
  };
  visit(source);
  return [...found.values()].sort((one, other) => one.start - other.start);
}
