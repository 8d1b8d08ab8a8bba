import { checkInteger, checkOptions, throwTypeError } from "../../errors.ts";
import type { SendOptions } from "../send_options.ts";
import { checkIds, checkNames } from "./check_bodies.ts";

/** Throws unless these are options for this many bodies. */
export function checkSend(options: SendOptions, count: number): void {
  checkOptions("send", options, ["ids", "rememberMs", "keys", "notBefore"]);
  const { ids, rememberMs, keys, notBefore } = options;
  if (ids !== undefined) checkIds(ids, count);
  if (keys !== undefined) checkNames("keys", keys, count, true);
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
