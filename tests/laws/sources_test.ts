import { test } from "node:test";
import { assertEquals } from "@std/assert";
import { counted, kinds } from "../lib/counted.ts";
import { errorOf } from "../lib/error_of.ts";
import { range } from "../lib/range.ts";
import { reasons } from "../lib/reasons.ts";
import { sources } from "../lib/sources.ts";
import { turns } from "../lib/turns.ts";

for (const { name, make, output } of sources) {
  for (const kind of kinds) {
    const title = `${name} of a ${kind} source`;

    test(`${title} gives its chunks in order and ends with it`, async () => {
      for (const length of [0, 1, 100]) {
        const source = counted(kind, length);
        assertEquals(await Array.fromAsync(make(source.source)), range(length).map(output));
        assertEquals(source.cancels, 0);
      }
    });

    test(`${title} reads on demand, one chunk for each`, async () => {
      const source = counted(kind);
      const reader = make(source.source).getReader();
      await turns();
      assertEquals(source.reads, 0);
      for (const n of range(5)) {
        assertEquals(await reader.read(), { done: false, value: output(n) });
        await turns(1);
        assertEquals(source.reads, n + 1);
      }
      await reader.cancel();
    });

    test(`${title} cancels it when a loop is left, and releases its locks`, async () => {
      const source = counted(kind);
      const readable = make(source.source);
      for await (const chunk of readable) {
        assertEquals(chunk, output(0));
        break;
      }
      await turns();
      assertEquals([source.cancels, readable.locked], [1, false]);
      if (source.source instanceof ReadableStream) {
        assertEquals((await source.source.getReader().read()).done, true);
      }
    });

    for (const { name: failure, reason } of reasons) {
      test(`${title} fails with its failure, ${failure}, after what came before`, async () => {
        const reader = make(counted(kind, 2, { failure: { reason } }).source).getReader();
        assertEquals((await reader.read()).value, output(0));
        assertEquals((await reader.read()).value, output(1));
        assertEquals(await errorOf(reader.read()), [reason]);
        assertEquals(await errorOf(reader.closed), [reason]);
      });

      test(`${title} hands on why it was cancelled: ${failure}`, async () => {
        const cancelReasons: unknown[] = [];
        const source = new ReadableStream<number>({
          pull: (controller) => controller.enqueue(0),
          cancel: (reason) => void cancelReasons.push(reason),
        }, { highWaterMark: 0 });
        const reader = make(source).getReader();
        await reader.read();
        await reader.cancel(reason);
        await turns();
        assertEquals(cancelReasons, [reason]);
      });
    }
  }
}
