import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { fuse } from "@hosepipe/streams";
import { errorOf } from "../lib/error_of.ts";
import { turns } from "../lib/turns.ts";

type Controller = TransformStreamDefaultController<unknown>;
type Make = (transformer: Transformer) => ReadableWritablePair<unknown, unknown>;

const ways: Record<string, Make> = {
  native: (transformer) => new TransformStream(transformer, {}, { highWaterMark: 0 }),
  fused: (transformer) => fuse(transformer),
};

/** A write waits for room; then an abort and a cancel come in one turn. How each of the three settles. */
async function outcomesOf(
  make: Make,
  cancel: (controller: Controller) => void | Promise<void>,
): Promise<unknown[]> {
  let controller!: Controller;
  const heard: unknown[] = [];
  const { readable, writable } = make({
    start: (given) => void (controller = given),
    transform: (chunk) => void heard.push(chunk),
    cancel(reason) {
      heard.push(reason);
      return cancel(controller);
    },
  });
  const writer = writable.getWriter();
  for (const promise of [writer.closed, writer.ready]) promise.catch(() => {});
  const written = errorOf(writer.write(1));
  await turns(1);
  const aborted = errorOf(writer.abort("abort"));
  const cancelled = errorOf(readable.cancel("cancel"));
  return [...await Promise.all([written, aborted, cancelled]), ...heard];
}

for (const [way, make] of Object.entries(ways)) {
  test(`${way}: a write that an abort and a cancel end is not called done, though cancel calls error`, async () => {
    assertEquals(await outcomesOf(make, (controller) => controller.error("error")), [
      ["abort"],
      "none",
      "none",
      "cancel",
    ]);
  });

  test(`${way}: beside a write that waits an abort and a cancel succeed, though cancel takes time`, async () => {
    for (const cancel of [() => Promise.resolve(), () => turns(2)]) {
      assertEquals(await outcomesOf(make, cancel), [["abort"], "none", "none", "cancel"]);
    }
  });

  test(`${way}: a cancel that rejects fails the abort and the cancel beside a write that waits`, async () => {
    const cancel = async () => {
      await turns(2);
      throw "failed";
    };
    assertEquals(await outcomesOf(make, cancel), [["abort"], ["failed"], ["failed"], "cancel"]);
  });
}
