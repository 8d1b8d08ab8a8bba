import { assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { toArray } from "@hosepipe/streams";

// What only a caller without types does.
// deno-lint-ignore no-explicit-any
const untyped = toArray as (...args: any[]) => Promise<unknown[]>;

test("an end's options are a plain object, with a prototype or without, and undefined is none", async () => {
  const bare = Object.assign(Object.create(null), { signal: new AbortController().signal });
  for (const options of [{}, { ...bare }, bare, undefined]) {
    assertEquals(await untyped([1, 2], options), [1, 2]);
  }
  const failing = Object.assign(Object.create(null), { signal: AbortSignal.abort("why") });
  assertEquals(await untyped([1], failing).catch((reason) => `failed: ${reason}`), "failed: why");
});

test("an end's last argument that has a stage's method is a stage, and so is what is no plain object", async () => {
  const stage = {
    transform: (chunk: number, controller: TransformStreamDefaultController<number>) =>
      controller.enqueue(chunk * 10),
  };
  assertEquals(await untyped([1, 2], stage), [10, 20]);
  class Stage {
    transform(chunk: number, controller: TransformStreamDefaultController<number>): void {
      controller.enqueue(chunk * 10);
    }
  }
  assertEquals(await untyped([1, 2], new Stage()), [10, 20]);
  await assertRejects(() => Promise.resolve().then(() => untyped([1], null)), TypeError);
});

test("an end's last argument that has any member of a stage or a pair of streams is no options", async () => {
  const members = ["start", "transform", "flush", "cancel"];
  for (const member of members) {
    // What a stage would not do is an error of a stage, not of an unknown option.
    assertEquals(await untyped([], { [member]() {} }), []);
  }
  for (const member of ["readable", "writable", "readableType", "writableType"]) {
    const { message } = await assertRejects(
      () => Promise.resolve().then(() => untyped([1], { [member]: "x" })),
      Error,
    );
    assertEquals(/unknown option/i.test(message), false, message);
  }
  const { message } = await assertRejects(
    () => Promise.resolve().then(() => untyped([1], { started: 1 })),
    TypeError,
  );
  assertEquals(message.includes("started"), true);
});
