import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { watchPromise } from "../../src/stages/watch.ts";
import { turns } from "../lib/turns.ts";

for (const isFulfilled of [true, false]) {
  test(`a promise that is ${isFulfilled ? "fulfilled" : "rejected"} tells all who watch it, those who come later, too`, async () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const seen: string[] = [];
    const watch = (name: string) =>
      watchPromise(
        promise,
        () => seen.push(name),
        (reason) => seen.push(`${name} ${String(reason)}`),
      );
    watch("one");
    watch("other");
    watch("gone")();
    await turns(1);
    assertEquals(seen, []);
    if (isFulfilled) resolve();
    else reject(undefined);
    await turns(1);
    watch("later");
    watch("gone later")();
    await turns(1);
    const all = ["one", "other", "later"];
    assertEquals(seen, isFulfilled ? all : all.map((name) => `${name} undefined`));
  });
}
