/** The name of the row that shows what measuring itself costs. */
export const noopName = "noop";
