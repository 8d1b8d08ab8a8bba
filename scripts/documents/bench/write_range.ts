import { formatDuration, threeDigits } from "../../../bench/tables/format_duration.ts";
import type { Range } from "../../../bench/results/ranges.ts";

/** Writes a range of ratios, such as `1.4 to 1.7`; one figure where both ends are written alike. */
export function writeRatioRange({ low, high }: Range): string {
  const [least, most] = [low, high].map((ratio) =>
    ratio < 1.995 || ratio >= 9.995 ? threeDigits(ratio) : ratio.toFixed(1)
  );
  return least === most ? least! : `${least} to ${most}`;
}

/** Writes a range of milliseconds, with the unit once if it is the same. */
export function writeTimeRange({ low, high }: Range): string {
  const [least, most] = [formatDuration(low), formatDuration(high)];
  if (least === most) return least;
  const [number, unit] = least.split(" ");
  return unit === most.split(" ")[1] ? `${number} to ${most}` : `${least} to ${most}`;
}
