const slots = "Legend: ■ waiting, ▣ being processed, □ free, +2: two more than the highWaterMark.";
const answers =
  "desired:0 (Web) and push:false (node) ask a stage to pause; 1:3 is 1 being written, 3 written.";

/** What the signs of a format mean. */
export const legends: Readonly<Record<"log" | "diagram" | "live", string>> = {
  log: "Legend: ++ a read, ++++ a transform, ++++++ a write begins, ------ it has ended, " +
    `… time in which nothing happens; ${answers}`,
  diagram: `${slots} The answers ${answers}`,
  live: `${slots} Messages go from top to bottom.`,
};
