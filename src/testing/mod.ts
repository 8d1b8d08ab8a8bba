/**
 * What tests of streams need: time that moves as the test says.
 *
 * @module
 */
export { virtualTime } from "./virtual_time.ts";
export type { RunOptions, VirtualTime, VirtualTimeOptions } from "./virtual_time_types.ts";
