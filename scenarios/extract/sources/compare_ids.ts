const isNumber = (id: unknown) => typeof id === "number" || typeof id === "bigint";

/** Orders ids: numbers by their size before all others, which go by their text. */
export function compareIds(one: unknown, other: unknown): number {
  if (isNumber(one) && isNumber(other)) {
    const [left, right] = [one as number, other as number];
    return left < right ? -1 : left > right ? 1 : 0;
  }
  if (isNumber(one) !== isNumber(other)) return isNumber(one) ? -1 : 1;
  const [left, right] = [String(one), String(other)];
  return left < right ? -1 : left > right ? 1 : 0;
}
