const darkBlock = /@media \(prefers-color-scheme: dark\) \{((?:[^{}]|\{[^{}]*\})*)\}/;

/**
 * Gives an image that follows the reader's scheme the colours of one of them, for a page that chooses by itself.
 *
 * @throws {Error} If the image has no block for dark pages.
 */
export function inScheme(svg: string, scheme: "light" | "dark"): string {
  if (!darkBlock.test(svg)) {
    throw new Error("Cannot choose a scheme: the image has no block for dark pages");
  }
  return svg.replace(darkBlock, (_all, rules: string) => scheme === "dark" ? rules.trim() : "");
}
