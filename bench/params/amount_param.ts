import type { ParamSpec } from "../measure/workload.ts";

const units = { chunks: 0, MiB: 2 ** 20, GiB: 2 ** 30 } as const;
const pattern = /^([1-9]\d{0,8})(chunks|MiB|GiB)$/;

/** A parameter that says how much passes: a number of chunks, or of bytes, whatever their size. */
export function amountParam(spec: Omit<ParamSpec, "parse">): ParamSpec {
  return {
    ...spec,
    parse(text) {
      if (pattern.test(text)) return text;
      throw new RangeError(
        "Cannot read amount: must be a number of chunks, MiB or GiB, such as 200chunks or 64MiB, " +
          `got ${JSON.stringify(text)}`,
      );
    },
  };
}

/** How many chunks an amount is; at least one. */
export function chunksOf(amount: string, chunkSize: number): number {
  const [, number, unit] = pattern.exec(amount)!;
  const bytes = units[unit as keyof typeof units];
  return bytes === 0 ? Number(number) : Math.max(1, Math.ceil(Number(number) * bytes / chunkSize));
}
