import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import {
  count,
  every,
  find,
  first,
  last,
  map,
  reduce,
  some,
  toArray,
  toBytes,
  toJson,
  toText,
} from "@hosepipe/streams";
import { countedSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { reasons } from "../lib/reasons.ts";
import { turns } from "../lib/turns.ts";

type End = (source: unknown, ...rest: unknown[]) => Promise<unknown>;

/** An end that takes a function, and what else it needs, before the options. */
function withArguments(end: unknown, ...more: unknown[]): End {
  return (source, ...rest) => {
    const last = rest.at(-1);
    const isPlain = typeof last === "object" && last !== null &&
      Object.getPrototypeOf(last) === Object.prototype;
    const at = rest.length > 0 && (last === undefined || isPlain) ? -1 : rest.length;
    return (end as End)(source, ...rest.slice(0, at), ...more, ...rest.slice(at));
  };
}

const isTwo = (chunk: unknown) => chunk === "2";
const isTwoLater = (chunk: unknown) => Promise.resolve(chunk === "2");
const concatenate = (text: string, chunk: string) => text + chunk;

/** Every end that the package exports, and what it makes of no chunk and of "1", "2" and "3". */
const ends = [
  { name: "count", end: count, none: 0, three: 3 },
  { name: "every", end: withArguments(every, () => true), none: true, three: true },
  { name: "every", end: withArguments(every, isTwoLater), none: true, three: false },
  { name: "find", end: withArguments(find, isTwo), none: undefined, three: "2" },
  { name: "find", end: withArguments(find, isTwoLater), none: undefined, three: "2" },
  { name: "reduce", end: withArguments(reduce, concatenate, "s"), none: "s", three: "s123" },
  { name: "some", end: withArguments(some, isTwo), none: false, three: true },
  { name: "some", end: withArguments(some, () => false), none: false, three: false },
  { name: "first", end: first, none: undefined, three: "1" },
  { name: "last", end: last, none: undefined, three: "3" },
  { name: "toArray", end: toArray, none: [], three: ["1", "2", "3"] },
  { name: "toBytes", end: toBytes, none: new Uint8Array(), three: Uint8Array.of(49, 50, 51) },
  { name: "toJson", end: toJson, none: "SyntaxError", three: 123 },
  { name: "toText", end: toText, none: "", three: "123" },
].map(({ end, ...rest }) => ({ ...rest, end: end as unknown as End }));

const chunk = (n: number) => `${n + 1}`;
const identity = map((chunk: unknown) => chunk);

for (const { name, end, none, three } of ends) {
  test(`${name}() of nothing`, async () => {
    const answer = await end([]).catch((error: Error) => error.name);
    assertEquals(answer, none);
  });

  test(`${name}() of three chunks, with stages, pairs and options or without`, async () => {
    const signal = new AbortController().signal;
    const calls: unknown[][] = [[], [{}], [undefined], [{ signal }], [identity], [identity, {
      signal,
    }], [identity, new TransformStream(), identity, { signal }]];
    for (const rest of calls) {
      assertEquals(await end(countedSource({ chunk, length: 3 }).readable, ...rest), three);
    }
    assertEquals(await end(["1", Promise.resolve("2"), "3"]), three);
    assertEquals(
      await end((async function* () {
        yield* ["1", "2", "3"];
      })()),
      three,
    );
  });

  for (const { name: reasonName, reason } of reasons) {
    test(`${name}() fails with a source's or a stage's failure, ${reasonName}`, async () => {
      const failing = countedSource({ chunk, length: 0, atEnd: { reason } });
      assertEquals(await errorOf(end(failing.readable)), [reason]);
      assertEquals(failing.readable.locked, false);
      const source = countedSource({ chunk });
      const thrower = map(() => {
        throw reason;
      });
      assertEquals(await errorOf(end(source.readable, thrower)), [reason]);
      assertEquals(source.cancelReasons, [reason]);
    });

    test(`${name}() ends by a signal's reason, ${reasonName}, whatever hangs`, async () => {
      const source = countedSource({ chunk, length: 0, atEnd: "stall" });
      const controller = new AbortController();
      const answer = errorOf(end(source.readable, { signal: controller.signal }));
      await turns();
      controller.abort(reason);
      assertEquals(await answer, [controller.signal.reason]);
      assertEquals(source.cancelReasons, [controller.signal.reason]);
      const untouched = countedSource({ chunk });
      assertEquals(await errorOf(end(untouched.readable, { signal: controller.signal })), [
        controller.signal.reason,
      ]);
      assertEquals(untouched.readCount, 0);
    });
  }

  test(`${name}() refuses bad sources, stages and options before it touches any`, async () => {
    const source = countedSource({ chunk });
    const messageOf = async (...args: [unknown, ...unknown[]]) => {
      const [error] = await errorOf(end(...args)) as [Error];
      assert(error instanceof TypeError, String(error));
      return error.message;
    };
    assert((await messageOf(5)).includes("source must be a ReadableStream"));
    assert((await messageOf(source.readable, 5)).includes("stage 1 is 5, not a stage"));
    assert((await messageOf(source.readable, () => {})).includes("stage 1 is a function"));
    assert((await messageOf(source.readable, { most: 5 })).includes('unknown option "most"'));
    assert((await messageOf(source.readable, { signal: 5 })).includes("signal must be an Abort"));
    assertEquals([source.readCount, source.readable.locked], [0, false]);
  });
}

test("first() reads one chunk and cancels the rest", async () => {
  const source = countedSource({ chunk });
  assertEquals(await first(source.readable), "1");
  assertEquals([source.readCount, source.cancelReasons.length], [1, 1]);
  assertEquals(await first([undefined, 1]), undefined);
});

test("last() gives a last chunk that is undefined", async () => {
  assertEquals(await last([1, undefined]), undefined);
});

for (
  const [name, end, option, allowed, message] of [
    ["toArray", toArray, "maxChunks", 3, "Cannot run toArray: there are more than 3 chunks"],
    ["toText", toText, "maxLength", 3, "Cannot run toText: the text is longer than maxLength 3"],
    ["toJson", toJson, "maxLength", 3, "Cannot run toJson: the text is longer than maxLength 3"],
    ["toBytes", toBytes, "maxBytes", 3, "Cannot run toBytes: there are more than 3 bytes"],
  ] as unknown as [string, End, string, number, string][]
) {
  test(`${name}() allows ${option}, and with one more fails and cancels`, async () => {
    const three = countedSource({ chunk, length: 3 });
    await end(three.readable, { [option]: allowed });
    const endless = countedSource({ chunk });
    const [error] = await errorOf(end(endless.readable, { [option]: allowed })) as [Error];
    assert(error instanceof RangeError);
    assertEquals(error.message, message);
    assertEquals([endless.readCount, endless.cancelReasons], [4, [error]]);
    for (const bad of [-1, 1.5, NaN]) {
      assert((await errorOf(end([], { [option]: bad })) as [unknown])[0] instanceof RangeError);
    }
    const [wrong] = await errorOf(end([], { [option]: "1" })) as [unknown];
    assert(wrong instanceof TypeError);
    await end(["1"], { [option]: Infinity });
  });
}
