/** Breaks a text into lines of at most `columns`; a word that is longer is broken, and nothing is left out. */
export function wrapWords(text: string, columns: number): string[] {
  const lines = [""];
  for (let word of text.split(" ")) {
    const last = lines.at(-1)!;
    const joined = last === "" ? word : `${last} ${word}`;
    if (joined.length <= columns) {
      lines[lines.length - 1] = joined;
      continue;
    }
    if (last === "") lines.pop();
    for (; word.length > columns; word = word.slice(columns)) lines.push(word.slice(0, columns));
    lines.push(word);
  }
  return lines;
}
