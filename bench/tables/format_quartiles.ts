import { formatDuration } from "./format_duration.ts";

/** Both quartiles, with their unit once if it is the same, such as `1.02-1.10 ms`. */
export function formatQuartiles(p25: number, p75: number): string {
  const [low, high] = [formatDuration(p25), formatDuration(p75)];
  const [lowNumber, lowUnit] = low.split(" ");
  return lowUnit === high.split(" ")[1] ? `${lowNumber}-${high}` : `${low}-${high}`;
}
