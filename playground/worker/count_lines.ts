import { map } from "@hosepipe/streams";
import { defineStages } from "../../src/workers/mod.ts";

/** The work on a chunk: 200 lines of JSON are parsed, and their totals added up. */
export function addTotals(text: string): number {
  let sum = 0;
  for (const line of text.split("\n")) sum += (JSON.parse(line) as { total: number }).total;
  return sum;
}

/** Chunks to work on. */
export function makeTexts(count: number): string[] {
  return Array.from({ length: count }, (_, chunk) =>
    Array.from(
      { length: 200 },
      (_, line) =>
        JSON.stringify({ id: line, total: (chunk * 31 + line * 7) % 1000, note: "a row" }),
    ).join("\n"));
}

/** Has this worker run the stages for `inWorkers` on the page. */
export function serveTotals(): void {
  defineStages(() => [map(addTotals)]);
}
