function splitWords(text: string): string[] {
  const words: string[] = [];
  let inCode = false;
  for (const part of text.split(/\s/)) {
    if (inCode) words.push(`${words.pop()} ${part}`);
    else if (part !== "") words.push(part);
    if (part.split("`").length % 2 === 0) inCode = !inCode;
  }
  return words;
}

/** Wraps a paragraph as `deno fmt` does, which never breaks inside `code`. */
export function wrapProse(text: string, width = 100): string {
  const lines: string[] = [];
  for (const word of splitWords(text)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return lines.join("\n");
}
