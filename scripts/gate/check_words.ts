import { readFile } from "node:fs/promises";
import ts from "typescript";
import { bannedPhrases } from "./banned_phrases.ts";
import { listFiles, readProject, reportProblems } from "./read_project.ts";

/** A text that people read, and where in its file it begins. */
interface Prose {
  readonly text: string;
  readonly start: number;
}

/** The comments of a program, and the texts it may show: literals, and what stands between tags. */
function proseOf(path: string, code: string): Prose[] {
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

/** Each banned phrase with any number of spaces for one. */
const spacedPhrases = bannedPhrases.map(([pattern, ...others]) => {
  const source = pattern.source.replaceAll(/(?<!\[)\x20/g, " +");
  return [new RegExp(source, `g${pattern.flags}`), ...others] as const;
});

/** A page as one text, but for its blocks of code. */
function proseOfPage(text: string): Prose[] {
  return [{
    start: 0,
    text: text.replace(/^```.*?^```/gms, (code) => code.replace(/[^\n]/g, " ")),
  }];
}

/**
 * Finds banned phrases in pages, comments and texts of programs, also where a line breaks within one.
 *
 * @param files The text of each file by its path in the project.
 */
function wordProblems(files: ReadonlyMap<string, string>): string[] {
  return [...files].flatMap(([path, text]) => {
    const lineAt = (index: number) => text.slice(0, index).split("\n").length;
    const isPage = /\.(?:md|txt)$/.test(path);
    const all = isPage ? proseOfPage(text) : proseOf(path, text);
    return all.flatMap((prose) => {
      // Of the same length, so that a place in it is one in the file.
      const flat = prose.text.replace(/\n[ \t]*(?:\*|\/\/)?/g, (space) => " ".repeat(space.length));
      return spacedPhrases.flatMap(([spaced, instead, where]) => {
        if (where === "pages" && !/^(?:docs\/|README)/.test(path)) return [];
        return [...flat.matchAll(spaced)].map(({ 0: phrase, index }) =>
          `${path}:${lineAt(prose.start + index)} says "${
            phrase.replaceAll(/ +/g, " ")
          }": say ${instead}`
        );
      });
    });
  });
}

const root = new URL("../../", import.meta.url);
const pages = [
  ...["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "llms.txt"],
  ...await listFiles(root, "docs", ".md"),
];
const files = await readProject();
for (const page of pages) files.set(page, await readFile(new URL(page, root), "utf8"));
// The list itself.
files.delete("scripts/gate/banned_phrases.ts");
reportProblems(`words of ${files.size} files`, wordProblems(files));
