/** From this many lines on a file is asked what it hides. */
const longest = 220;

/**
 * Asks every long file for its reason, which it gives in its first line, or for being written by a program.
 *
 * @param files The text of each file by its path in the project.
 */
export function lengthProblems(files: ReadonlyMap<string, string>): string[] {
  return [...files].flatMap(([path, text]) => {
    const lines = text.split("\n").length - 1;
    const isExplained = /^(?:\/\/|\/\*\*?) (?:Over 200 lines: \S|Generated\b|Written by\b)/.test(
      text,
    );
    if (lines <= longest || isExplained) return [];
    return [
      `${path} has ${lines} lines: split it, or begin it with "// Over 200 lines: …" and the reason`,
    ];
  });
}
