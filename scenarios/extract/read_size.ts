import { UsageError } from "../command_line/usage_error.ts";

const units: Readonly<Record<string, number>> = { "": 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

/**
 * Reads a number of bytes such as `64MiB`.
 *
 * @throws {UsageError} If it is none, or more than `most`.
 */
export function readSize(flag: string, text: string, most: number): number {
  const match = /^(\d+)(|KiB|MiB|GiB)$/.exec(text);
  const bytes = match === null ? NaN : Number(match[1]) * units[match[2]!]!;
  if (bytes >= 1 && bytes <= most) return bytes;
  throw new UsageError(
    `${flag} must be a number of bytes such as 64MiB, up to ${most / 2 ** 20}MiB, got ${text}`,
  );
}
