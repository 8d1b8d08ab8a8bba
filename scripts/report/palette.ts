/** The colours of Okabe and Ito, which the colour-blind tell apart, without those too pale on white. */
export const palette = {
  ink: "#010101",
  /** In the dark their lighter blue. */
  blue: "#0072b2",
  vermillion: "#d55e00",
  green: "#009e73",
  purple: "#cc79a7",
  orange: "#e69f00",
  /** Text of axes, and lines behind the data. */
  muted: "#020202",
  grid: "#030303",
  /** What charts stand on. */
  paper: "#040404",
} as const;

/** What depends on the reader's light or dark scheme: the colours that the page's style sheet sets. */
export const schemeColours: Readonly<Record<string, string>> = {
  [palette.ink]: "var(--ink)",
  [palette.blue]: "var(--blue)",
  [palette.muted]: "var(--muted)",
  [palette.grid]: "var(--grid)",
  [palette.paper]: "var(--panel)",
};
