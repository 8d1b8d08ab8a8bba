/**
 * Finds the mistakes in a program that a compiler does not answer with the words above them, and what it says of other
 * lines.
 *
 * @param program Each mistake is a line below one or several of `// says: WORDS`.
 * @param answers What the compiler says, by the number of the line, from 1.
 */
export function wrongAnswers(program: string, answers: ReadonlyMap<number, string>): string[] {
  const wrong: string[] = [];
  let words: string[] = [];
  for (const [index, code] of program.split("\n").entries()) {
    const [, says] = /^\/\/ says: (.*)/.exec(code) ?? [];
    if (says !== undefined) words.push(says);
    else {
      const answer = answers.get(index + 1);
      const isRight = words.length === 0
        ? answer === undefined
        : words.every((word) => answer?.includes(word));
      if (!isRight) wrong.push(`${code}\nmust be answered with ${words}, got ${answer}`);
      words = [];
    }
  }
  return wrong;
}
