/** The anchor that GitHub gives a heading. */
export function anchorOf(title: string): string {
  return title.toLowerCase().replace(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-");
}

/** The anchors of one page, where a second heading of the same name gets a number. */
export class Anchors {
  readonly #seen = new Map<string, number>();

  /** The anchor of the page's next heading. */
  next(title: string): string {
    const anchor = anchorOf(title);
    const count = this.#seen.get(anchor) ?? 0;
    this.#seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  }
}
