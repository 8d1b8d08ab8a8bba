/** Where the spaces and tabs of `text` that begin at `at` end. */
export function skipBlanks(text: string, at: number): number {
  for (;; at++) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x09) return at;
  }
}

/**
 * `text` without the spaces and tabs around it. A regular expression would look for the end of the text again from
 * each of them.
 */
export function trimBlanks(text: string): string {
  const start = skipBlanks(text, 0);
  let end = text.length;
  for (; end > start; end--) {
    const code = text.charCodeAt(end - 1);
    if (code !== 0x20 && code !== 0x09) break;
  }
  return text.slice(start, end);
}
