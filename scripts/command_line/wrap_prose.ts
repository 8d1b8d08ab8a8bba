/** Wraps a paragraph as `deno fmt` does, which never breaks inside `code`. */
export function wrapProse(text: string, width = 100): string {
  const lines: string[] = [];
  for (const word of text.match(/[^\s`]*`[^`]*`[^\s`]*|\S+/g) ?? []) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return lines.join("\n");
}
