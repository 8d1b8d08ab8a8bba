import { checkBoolean } from "../errors.ts";
import { callSites } from "../engine/call_site.ts";

/**
 * Makes every run and every `fuse` from now on keep where it was called, so that a failure says so. That costs each some
 * microseconds; for one run alone there is the option `callSite` of `pipeline`.
 *
 * @param areKept Whether they do; at first they do not.
 *
 * @throws {TypeError} If it is not a boolean.
 *
 * @example
 * ```ts
 * import { map, toArray } from "@hosepipe/streams";
 * import { captureCallSites, failureOf } from "@hosepipe/streams/inspect";
 * import assert from "node:assert/strict";
 *
 * captureCallSites(true);
 * try {
 *   await toArray(["oops"], map((text) => JSON.parse(text)));
 * } catch (error) {
 *   assert.match(failureOf(error)!.callSite!, /:\d+$/);
 * } finally {
 *   captureCallSites(false);
 * }
 * ```
 */
export function captureCallSites(areKept: boolean): void {
  checkBoolean("capture call sites", "the argument", areKept);
  callSites.areKept = areKept;
}
