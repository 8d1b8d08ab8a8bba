import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { pipeline, reader, transformer, writer } from "@hosepipe/streams/node";
import { hostilePromises, throwingGetter } from "../lib/hostile.ts";
import { reasons } from "../lib/reasons.ts";
import { settledWithin } from "../lib/settled_within.ts";
import { turns } from "../lib/turns.ts";
import { unhandledDuring } from "../lib/unhandled_during.ts";

// deno-lint-ignore no-explicit-any -- the places differ in what they take
type Any = any;

const pass = () => transformer({});
const iterable = (next: () => unknown): Any => ({ [Symbol.asyncIterator]: () => ({ next }) });
const one = (): Any => [1, 2];

// What a method of a part answers in place of a promise.
const places: Record<string, (answer: () => unknown) => Promise<void>> = {
  "a source's next": (next) => pipeline(iterable(next), () => {}),
  "a source's next before a stage": (next) => pipeline(reader(iterable(next)), pass(), () => {}),
  "a function that reads": (read) => pipeline(reader(read as Any), () => {}),
  "start": (start) => pipeline(one(), transformer({ start }), () => {}),
  "transform": (transform) => pipeline(one(), transformer({ transform } as Any), () => {}),
  "flush": (flush) => pipeline(one(), transformer({ flush } as Any), () => {}),
  "a sink": (write) => pipeline(one(), write),
  "a sink after a stage": (write) => pipeline(one(), pass(), writer(write)),
  "a sink with concurrency": (write) => pipeline(one(), writer(write, { concurrency: 2 })),
  "close": (close) => pipeline(one(), writer(() => {}, { close } as Any)),
  "release": (release) => pipeline(one(), writer(() => {}, { release } as Any)),
};

for (const hostile of hostilePromises) {
  for (const [place, run] of Object.entries(places)) {
    test(`node: ${hostile.name} from ${place} is what the run fails with`, async () => {
      for (const { name, reason } of reasons) {
        const unhandled = await unhandledDuring(async () => {
          const standing = await settledWithin(run(() => hostile.make(reason)), 50);
          assertEquals(standing, { state: "rejected", reason }, name);
          await turns(1);
        });
        assertEquals(unhandled, [], name);
      }
    });
  }
}

for (const [member, rest] of [["done", { value: 1 }], ["value", { done: false }]] as const) {
  test(`node: a getter of ${member} that throws in a source's result is what the run fails with`, async () => {
    for (const { name, reason } of reasons) {
      const next = () => Promise.resolve(throwingGetter(member, reason, { ...rest }));
      const standing = await settledWithin(pipeline(iterable(next), pass(), () => {}), 50);
      assertEquals(standing, { state: "rejected", reason }, name);
    }
  });
}
