/**
 * How many chunks each buffer of each stage may hold, wherever a contestant lets us say so: the default
 * of node:stream for objects. Web streams would hold 1 and 0, and be slower for that alone.
 */
export const highWaterMark = 16;
