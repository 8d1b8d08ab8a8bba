import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { compose, filter, fuse, map, pipeline } from "@hosepipe/streams";

const parse = (): Transformer<string, number> => map((text: string) => Number(text));
const double = (): Transformer<number, number> => map((n: number) => n * 2);
const show = (): Transformer<number, string> => map((n: number) => `${n}`);

test("types flow through sixteen stages and into an arrow function's parameter", async () => {
  const written: string[] = [];
  await pipeline(
    ["1", "2"],
    parse(),
    double(),
    double(),
    double(),
    double(),
    double(),
    double(),
    double(),
    double(),
    double(),
    double(),
    double(),
    double(),
    filter((n) => n.toFixed(0) !== ""),
    map((n) => ({ n })),
    map(({ n }) => n.toFixed(1)),
    (text) => void written.push(text.padStart(9)),
    { signal: AbortSignal.timeout(60_000) },
  );
  assertEquals(written, ["   4096.0", "   8192.0"]);

  const pair: ReadableWritablePair<string, string> = fuse(parse(), double(), show());
  assertEquals(typeof pair.readable.getReader, "function");
});

test("a chain whose chunk types do not meet is a compile error at the stage that does not fit", () => {
  const neverRun = () => {
    fuse(
      parse(),
      double(),
      // @ts-expect-error double gives numbers, parse takes strings
      parse(),
      show(),
    );
    pipeline(
      ["1"],
      parse(),
      // @ts-expect-error parse gives numbers, this takes booleans
      map((flag: boolean) => !flag),
      () => {},
    );
    pipeline(
      [1],
      // @ts-expect-error the source gives numbers, parse takes strings
      parse(),
      () => {},
    );
  };
  assertEquals(typeof neverRun, "function");
});

test("a chain put together at run time is taken as it is", async () => {
  const passes = Array.from({ length: 30 }, double);
  const written: number[] = [];
  await pipeline([1], compose(passes), (n) => void written.push(n));
  assertEquals(written, [2 ** 30]);
  const pair = fuse(compose(passes));
  assertEquals(await Array.fromAsync(ReadableStream.from([1]).pipeThrough(pair)), written);
});
