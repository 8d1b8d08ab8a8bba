import { test } from "node:test";
import { inspect } from "node:util";
import { assert, assertEquals } from "@std/assert";
import {
  attempt,
  batch,
  compose,
  distinct,
  filter,
  flatMap,
  lines,
  map,
  parallel,
  scan,
  stage,
  take,
  tap,
} from "@hosepipe/streams";
import { operators } from "../lib/operators.ts";

const getName = (row: { name: string }) => row.name;
const isLong = (text: string) => text.length > 3;
const runtimes = globalThis as unknown as Record<string, { inspect(value: unknown): string }>;
/** What `console.log` writes. */
const shown = runtimes.Deno?.inspect ?? runtimes.Bun?.inspect ?? inspect;

test("console.log of a stage says what made it", () => {
  async function* readRows(source: AsyncIterable<string>) {
    yield* source;
  }
  const expected: [stage: object, text: string][] = [
    [map(getName), "map(getName)"],
    [map((n) => n), "map(fn)"],
    [filter(isLong), "filter(isLong)"],
    [tap(console.log), "tap(log)"],
    [flatMap(Array), "flatMap(Array)"],
    [parallel(getName, { concurrency: 2 }), "parallel(getName)"],
    [batch(3), "batch()"],
    [lines(), "lines()"],
    [distinct(), "distinct()"],
    [scan((a: number, b: number) => a + b, 0), "scan(fn)"],
    [take(1), "take()"],
    [stage(readRows), "stage(readRows)"],
    [attempt(getName), "attempt(getName)"],
    [attempt(parallel(getName, { concurrency: 2 })), "attempt(getName)"],
    [compose(map(getName), filter(isLong)), "compose(map(getName), filter(isLong))"],
    [compose(readRows, lines()), "compose(stage(readRows), lines())"],
    [compose(), "compose()"],
  ];
  for (const [stage, text] of expected) {
    assertEquals([shown(stage), inspect(stage)], [text, text]);
    assert(shown({ inside: [stage] }).includes(text));
  }
});

test("every stage that the package exports says its name", () => {
  for (const { name, make } of operators) {
    const made = make();
    // Not made by the package, or a map by another name.
    if (/by hand|no transform|^stage$|^formatNdjson$/.test(name)) continue;
    const text = shown(made);
    if (text.startsWith("{") || text.startsWith("compose(")) continue;
    assert(text.startsWith(`${name.split(",")[0]}(`), `${name}: ${text}`);
  }
});

test("a copy of a stage shows what is in it, as any object", () => {
  assert(shown({ ...map(getName), flush() {} }).includes("flush"));
  assert(shown({ ...take(1) }).includes("transform"));
});
