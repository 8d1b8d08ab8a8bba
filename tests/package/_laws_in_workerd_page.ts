/** The laws as they stand, run in workerd: each of these functions in a request of its own. */
import "./_laws_page.ts";
import { leftOut, runTests } from "./_browser_test.ts";

const lawsOf = (chosen: RegExp) => () => runTests({ chosen, leftOut: leftOut("workerd") });

// Not those of native pairs: they are workerd's own, and one that is given up never stops pumping.
export const lawsOfFuse = lawsOf(/^fuse\b/);
export const lawsOfPipeline = lawsOf(/^pipeline\b/);
export const lawsOfEnds = lawsOf(/^(?!(?:native|fuse|pipeline)\b)/);
