/** A program of a page, or of a comment. */
export interface FoundExample {
  /** Where it stands, such as `docs/guide.md:10`. */
  readonly name: string;
  readonly code: string;
}

/** The lines of a file's documentation: all of a page, and those of TypeScript's comments, without their stars. */
function documentationOf(path: string, text: string): string[] {
  const lines = text.split("\n");
  if (path.endsWith(".md")) return lines;
  return lines.map((line) => /^\s*\* ?(.*)$/.exec(line)?.[1] ?? "");
}

/**
 * The programs in a file's documentation, those marked `ignore` aside.
 *
 * @param path The file's path, whose ending says whether it is a page.
 */
export function findExamples(path: string, text: string): FoundExample[] {
  const found: FoundExample[] = [];
  let open: { readonly at: number; readonly code: string[]; readonly isRun: boolean } | undefined;
  for (const [index, line] of documentationOf(path, text).entries()) {
    const fence = /^\s*```(\S*)\s*(.*)$/.exec(line);
    if (fence === null) open?.code.push(line);
    else if (open === undefined) {
      const isRun = /^(?:ts|js|typescript)$/.test(fence[1]!) && fence[2] !== "ignore";
      open = { at: index + 1, code: [], isRun };
    } else {
      if (open.isRun) found.push({ name: `${path}:${open.at}`, code: open.code.join("\n") });
      open = undefined;
    }
  }
  return found;
}
