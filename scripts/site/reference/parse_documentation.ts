/** A tag of a doc comment, such as `@param size How many`. */
export interface DocumentationTag {
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
