/** Where the spaces and tabs of `text` that begin at `at` end. */
export function skipBlanks(text: string, at: number): number {
  for (;; at++) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x09) return at;
  }
}
