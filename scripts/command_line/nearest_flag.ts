/** How many letters must be put in, left out, changed or swapped with the next to make one text of another. */
function distance(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (isSame ? 0 : 1));
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] &&
        one[i - 2] === other[j - 1];
      if (isSwapped) next[j] = Math.min(next[j]!, before[j - 2]! + 1);
    }
    [before, row] = [row, next];
  }
  return row[other.length]!;
}

/** The flag that was probably meant, such as `--workload` for `--worklod`; undefined if none is near. */
export function nearestFlag(typed: string, names: readonly string[]): string | undefined {
  const name = typed.replace(/^-+/, "");
  const [best] = [...names, "help"].map((known) => ({ known, away: distance(name, known) }))
    .sort((one, other) => one.away - other.away);
  return best !== undefined && best.away <= Math.max(1, Math.floor(best.known.length / 4))
    ? `--${best.known}`
    : undefined;
}
