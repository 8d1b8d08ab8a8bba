import { assertEquals } from "@std/assert";
import process from "node:process";
import { test } from "node:test";
import { contestants } from "../../../bench/memory/contestants.ts";
import { currentRuntime } from "../../../runtimes/current_runtime.ts";

const runtime = currentRuntime().name;
/** Flags are given to a case's process by the driver; this one was started without. */
const isHere = ({ runtimes, nodeFlags = [] }: (typeof contestants)[number]) =>
  (runtimes?.includes(runtime) ?? true) &&
  nodeFlags.every((flag) => process.execArgv.includes(flag));

const bytes = new Uint8Array([1, 2, 3, 4]);
const marks = {
  byte: { default: undefined, low: 2, high: 8 },
  object: { default: undefined, low: 1, high: 2 },
} as const;

for (const contestant of contestants.filter(isHere)) {
  const { name, load, takes = () => true } = contestant;
  for (const mode of ["byte", "object"] as const) {
    for (const highWaterMark of ["default", "low", "high"] as const) {
      for (const kind of ["bytes", "strings"] as const) {
        for (const stages of [0, 1, 5]) {
          if (!takes({ mode, highWaterMark, kind, stages })) continue;
          const title = `${name}, ${kind}, ${mode} mode, ${highWaterMark} mark, ${stages} stages`;
          test(`${title}: every chunk arrives`, async () => {
            const run = await load();
            for (const count of [0, 1, 1000]) {
              const taken: (Uint8Array | string)[] = [];
              const chunk = kind === "bytes" ? bytes : "abcd";
              await run({
                chunk,
                count,
                stages,
                isObjectMode: mode === "object",
                highWaterMark: marks[mode][highWaterMark],
                take: (chunk) =>
                  taken.push(typeof chunk === "string" ? chunk : Uint8Array.from(chunk)),
              });
              assertEquals(taken, Array.from({ length: count }, () => chunk));
            }
          });
        }
      }
    }
  }
}
