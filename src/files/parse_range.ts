/** The bytes from `start` up to but not including `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Reads a `Range` header for a file of `size` bytes. `undefined` means "answer as if there were none":
 * another unit, bad syntax, or several ranges, which a server may ignore.
 */
export function parseRange(header: string, size: number): ByteRange | "unsatisfiable" | undefined {
  const [, set] = /^bytes=(.*)$/is.exec(header) ?? [];
  if (set === undefined) return undefined;
  // An empty element of a list stands for nothing.
  const ranges = set.split(",").map((range) => range.replace(/^[ \t]+|[ \t]+$/g, ""))
    .filter((range) => range !== "");
  if (ranges.length !== 1) return undefined;
  const [, first, last] = /^(\d*)-(\d*)$/.exec(ranges[0]!) ?? [];
  if (first === undefined || last === undefined || first + last === "") return undefined;

  // A client may write more digits than a number holds.
  const total = BigInt(size);
  // All of an empty file, from its beginning or its end, is what no Content-Range can say.
  if (first === "") {
    const length = BigInt(last);
    if (length === 0n) return "unsatisfiable";
    if (size === 0) return undefined;
    return { start: length < total ? Number(total - length) : 0, end: size };
  }
  const start = BigInt(first);
  const end = last === "" ? total : BigInt(last) + 1n;
  if (last !== "" && BigInt(last) < start) return undefined;
  if (size === 0 && start === 0n) return undefined;
  if (start >= total) return "unsatisfiable";
  return { start: Number(start), end: end < total ? Number(end) : size };
}
