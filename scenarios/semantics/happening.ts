/** How a pipeline may end other than by its source's end. */
export const happenings = [
  "source fails",
  "transf. fails",
  "sink fails",
  "cancel",
  "break",
  "signal",
  "sink ends",
] as const;

/** One of these ways. */
export type Happening = (typeof happenings)[number];
