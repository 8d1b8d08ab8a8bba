/** How much height of a picture the labels of so many lines need, in pixels. */
export function labelsHeight(count: number): number {
  return count * gap;
}

const gap = 14;

/**
 * Moves the heights at which labels would stand apart as little as it takes for them not to cover each other, and
 * keeps them within `height`.
 */
export function placeLabels(wanted: readonly number[], height: number): number[] {
  const least = Math.min(gap, height / Math.max(wanted.length, 1));
  const order = wanted.map((_, index) => index).sort((one, other) => wanted[one]! - wanted[other]!);
  const placed = [...wanted];
  let floor = least / 2;
  for (const index of order) {
    placed[index] = Math.max(wanted[index]!, floor);
    floor = placed[index] + least;
  }
  let ceiling = height - least / 2;
  for (const index of order.toReversed()) {
    placed[index] = Math.min(placed[index]!, ceiling);
    ceiling = placed[index] - least;
  }
  return placed;
}
