/** Breaks a line between words, what follows indented by two, so that none is longer than `width`. */
export function wrapText(line: string, width: number): string[] {
  if (line.length <= width) return [line];
  const at = line.lastIndexOf(" ", width);
  // A word longer than the line stays whole: half a path is of no use.
  const end = at > 2 ? at : line.indexOf(" ", width);
  if (end === -1) return [line];
  return [line.slice(0, end).trimEnd(), ...wrapText(`  ${line.slice(end + 1).trimStart()}`, width)];
}
