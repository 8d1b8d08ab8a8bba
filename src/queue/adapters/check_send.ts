import { checkInteger, checkOptions, throwTypeError } from "../../errors.ts";
import type { SendOptions } from "../send_options.ts";
import { checkBodies, checkNames } from "./check_bodies.ts";

/** Throws unless these bodies can be sent, and these are options for them. */
export function checkSend(
  bodies: readonly unknown[],
  options: SendOptions,
  format?: "text" | "bytes",
): void {
  checkBodies(bodies, format);
  checkOptions("send", options, ["ids", "rememberMs", "keys", "notBefore"]);
  const { ids, rememberMs, keys, notBefore } = options;
  if (ids !== undefined) checkNames("ids", ids, bodies.length, false);
  if (keys !== undefined) checkNames("keys", keys, bodies.length, true);
  if (rememberMs !== undefined) {
    checkInteger("send", "rememberMs", rememberMs, 1);
    if (ids === undefined) throw new TypeError("Cannot send: rememberMs needs ids");
  }
  if (notBefore === undefined) return;
  if (!(notBefore instanceof Date)) throwTypeError("send", "notBefore", "a Date", notBefore);
  if (Number.isNaN(notBefore.getTime())) {
    throw new RangeError("Cannot send: notBefore must be a valid Date");
  }
}
