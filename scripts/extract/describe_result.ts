import type { ExtractResult } from "../../scenarios/extract/extract.ts";

const count = (value: number) => value.toLocaleString("en-US");

/** The sum that ends a run: what was read is what was written and what was skipped. */
export function describeResult(
  { read, rows, bytes, skipped }: ExtractResult,
  { seconds, out }: { readonly seconds: number; readonly out: string },
): string {
  const left = skipped.reduce((sum, { count }) => sum + count, 0);
  return `rows ${count(read)} = written ${count(rows)} + skipped ${count(left)}; ` +
    `${count(bytes)} bytes in ${seconds.toFixed(1)} s: ${out}`;
}

/** The same for programs. */
export function resultJson(
  { read, rows, bytes, skipped, isLeft }: ExtractResult,
  { seconds, out }: { readonly seconds: number; readonly out: string },
): string {
  const left = skipped.reduce((sum, { count }) => sum + count, 0);
  return JSON.stringify({
    ...{ rows: read, written: rows, skipped: left, reasons: skipped, bytes, seconds, out },
    isReplaced: !isLeft,
  });
}
