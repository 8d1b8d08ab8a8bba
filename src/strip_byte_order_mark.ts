/** Text without the byte order mark that it may begin with. */
export function stripByteOrderMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}
