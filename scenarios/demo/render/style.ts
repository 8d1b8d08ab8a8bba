/** The kinds of text in a demo's output. */
export type Paint =
  | "edge"
  | "read"
  | "transform"
  | "write"
  | "written"
  | "full"
  | "over"
  | "detail";

const codes: Record<Paint, number> = {
  edge: 32,
  read: 36,
  transform: 33,
  write: 35,
  written: 34,
  full: 36,
  over: 31,
  detail: 2,
};

/** Gives text a colour, or leaves it as it is. */
export type Style = (paint: Paint, text: string) => string;

/** Makes a style with colours or without. */
export function createStyle(isColoured: boolean): Style {
  return (paint, text) => isColoured ? `\x1b[${codes[paint]}m${text}\x1b[0m` : text;
}
