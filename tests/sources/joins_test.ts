// What all joins of several sources share; what those of one source share is asked in tests/laws.
import { test } from "node:test";
import { assertEquals, assertThrows } from "@std/assert";
import { concat, merge, mergeBy, zip } from "@hosepipe/streams";
import { drain, hanging, reasons } from "./_sources.ts";
import { counted, kinds } from "../lib/counted.ts";
import { errorOf } from "../lib/error_of.ts";
import { turns } from "../lib/turns.ts";

// deno-lint-ignore no-explicit-any -- joins of any types
type Any = any;
const joins: Readonly<Record<string, (...sources: Any[]) => ReadableStream<Any>>> = {
  concat,
  merge,
  mergeBy: (...sources) => mergeBy({ key: Number }, ...sources),
  zip,
};

for (const [name, join] of Object.entries(joins)) {
  for (const kind of kinds) {
    test(`${name}: a ${kind} source that fails cancels the others`, async () => {
      for (const reason of reasons) {
        const failing = counted(kind, 2, { failure: { reason } });
        const others = [counted("stream"), counted("async"), counted("sync")];
        const { chunks, error } = await drain(
          join(failing.source, ...others.map(({ source }) => source)),
        );
        assertEquals([chunks.length >= 2, error], [true, [reason]]);
        assertEquals([failing.cancels, ...others.map(({ cancels }) => cancels)], [0, 1, 1, 1]);
      }
    });

    test(`${name}: a source whose next() cancels the stream itself stops it, before a ${kind} one`, async () => {
      let [nexts, returns] = [0, 0];
      let cancelled: Promise<void> | undefined;
      const own = {
        [Symbol.iterator]: () => ({
          next() {
            nexts++;
            cancelled = reader.cancel("re-entrant");
            return { done: false, value: 1 };
          },
          return() {
            returns++;
            return { done: true as const, value: undefined };
          },
        }),
      };
      const later = counted(kind);
      const reader = join(own, later.source).getReader();
      assertEquals((await reader.read()).done, true);
      await cancelled;
      await turns();
      assertEquals([nexts, returns, later.reads, later.cancels], [1, 1, 0, 1]);
    });
  }

  test(`${name}: a cancel reaches all sources with its reason, and fails as one of them does`, async () => {
    for (const isRead of [false, true]) {
      const given: unknown[] = [];
      const failing = new ReadableStream({
        cancel: (reason) => Promise.reject(given.push(reason)),
      });
      const [other, hung] = [counted("stream"), hanging()];
      const joined = join(failing, other.source);
      const reader = joined.getReader();
      const read = isRead ? reader.read() : undefined;
      if (isRead) await turns();
      assertEquals(await errorOf(reader.cancel("why")), [1]);
      await read;
      assertEquals([given, other.cancels, failing.locked], [["why"], 1, false]);
      void join(hung.source).cancel("why");
      assertEquals(hung.returns, 1);
    }
  });

  test(`${name}: nothing is the end of none; many sources and chunks that are promises are given`, async () => {
    await join().getReader().closed;
    const { chunks, error } = await drain(
      join(...Array.from({ length: 3000 }, () => [Promise.resolve(1)])),
    );
    assertEquals([chunks.flat().length, error], [3000, "none"]);
    let returns = 0;
    const refused = {
      [Symbol.iterator]: () => ({
        next: () => ({ done: false, value: Promise.reject(undefined) }),
        return() {
          returns++;
          return { done: true as const, value: undefined };
        },
      }),
    };
    assertEquals([(await drain(join(refused))).error, returns], [[undefined], 1]);
  });

  test(`${name}: what is no source, locked, used or there twice is refused, and none is touched`, async () => {
    const untouched = counted("stream");
    const stream = untouched.source as ReadableStream<number>;
    const locked = new ReadableStream<number>();
    locked.getReader();
    const used = new Response("x");
    await used.text();
    const need =
      "must be a ReadableStream, an iterable, an async iterable, a Blob, a Response or a Request";
    const refused: [sources: unknown[], message: string][] = [
      [[stream, 5], `Cannot create ${name}: sources[1] ${need}, got 5`],
      [[null, stream], `sources[0] ${need}, got null`],
      [[stream, [], stream], "sources[2] is the same stream as sources[0]"],
      [[stream, locked], "sources[1] is locked to another reader"],
      [[stream, used], "the body of sources[1] has been read"],
    ];
    for (const [sources, message] of refused) {
      assertThrows(() => join(...sources), TypeError, message);
    }
    const returned: string[] = [];
    const iterable = (name: string) => ({
      [Symbol.iterator]: () => ({
        next: () => ({ done: true, value: undefined }),
        return() {
          returned.push(name);
          return { done: true, value: undefined };
        },
      }),
    });
    const broken = {
      [Symbol.iterator](): never {
        throw undefined;
      },
    };
    const opened = [stream, iterable("one"), iterable("other"), broken, iterable("later")];
    assertEquals(await errorOf((async () => await join(...opened))()), [undefined]);
    await turns(1);
    assertEquals([returned, untouched.reads, stream.locked], [["one", "other"], 0, false]);
  });

  if (name === "concat") continue;
  test(`${name}: a failure counts at once, though another source hangs for ever`, async () => {
    const hung = hanging();
    const failing = counted("sync", 0, { failure: { reason: 1 } });
    assertEquals((await drain(join(hung.source, failing.source))).error, [1]);
    assertEquals(hung.returns, 1);
  });
}

test("merge and concat take bodies", async () => {
  for (const join of [concat, merge]) {
    const bodies = join(new Blob(["a"]), new Response("b"), new Response(null));
    assertEquals((await new Response(bodies).text()).split("").sort(), ["a", "b"]);
  }
});
