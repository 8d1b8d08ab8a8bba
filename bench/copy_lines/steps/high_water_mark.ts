/**
 * How many chunks each buffer of each stage may hold, where a contestant lets us say so: the default of
 * node:stream for objects. `web` keeps to the standard's own defaults, 1 and 0, and is slower for that alone.
 */
export const highWaterMark = 16;
