import { assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { createDeferred } from "../src/deferred.ts";

test("createDeferred gives a promise and what settles it, once", async () => {
  const fulfilled = createDeferred<number>();
  fulfilled.resolve(1);
  fulfilled.resolve(2);
  fulfilled.reject(new Error("too late"));
  assertEquals(await fulfilled.promise, 1);

  const rejected = createDeferred<void>();
  rejected.reject(undefined);
  assertEquals(await rejected.promise.then(() => "fulfilled", (reason) => [reason]), [undefined]);
});

test("createDeferred adopts a promise that it is resolved with", async () => {
  const inner = createDeferred<number>();
  const outer = createDeferred<number>();
  outer.resolve(inner.promise);
  inner.reject(new RangeError("inner"));
  await assertRejects(() => outer.promise, RangeError, "inner");
});
