import { readAddress } from "./read_address.ts";

/**
 * Throws unless it is plain where the user's name and the password of an address end: a driver might look for a host
 * by a part of the password, and say so.
 *
 * @throws {RangeError} With nothing of either.
 */
export function checkAddress(address: string): void {
  const { name, isWhole } = readAddress(address);
  if (isWhole) return;
  throw new RangeError(
    `Cannot read the address ${name}: it must be SCHEME://USER:PASSWORD@HOST:PORT/NAME, and what is not a letter or ` +
      "a digit in a user's name or a password must be written by its code, such as %2F, %3F, %23 and %40 for / ? # and @",
  );
}
