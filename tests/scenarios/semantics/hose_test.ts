import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { atStandstill, hoses } from "../../../scenarios/semantics/hoses.ts";
import { settle } from "../../../scenarios/semantics/settle.ts";

for (const [api, lay] of hoses) {
  for (const chunkBytes of [undefined, 1024]) {
    const unit = chunkBytes ?? 1;
    const of = chunkBytes === undefined ? "messages" : "bytes";

    test(`${api} hose of ${of}: whatever was read is in a buffer, in flight or written`, async () => {
      const options = { highWaterMark: 3 * unit, chunkBytes, hasWriter: true };
      await atStandstill(lay, options, async (hose) => {
        for (let writes = 0; writes < 9; writes++) {
          const { readerOut, transformerIn, transformerOut, writerIn, writing, written, read } =
            hose.state();
          assertEquals([writing, written], [unit, writes * unit]);
          for (const count of [readerOut, transformerIn, transformerOut, writerIn]) {
            assert(count >= 0 && count <= 3 * unit, `${count} in a buffer`);
          }
          const sum = readerOut + transformerIn + transformerOut + writerIn + writing + written;
          assertEquals(sum, read);
          hose.finishWrite();
          await settle();
        }
      });
    });

    test(`${api} hose of ${of}: without a writer nothing is written`, async () => {
      const options = { highWaterMark: 3 * unit, chunkBytes };
      await atStandstill(lay, options, (hose) => {
        hose.finishWrite();
        const { writing, written, transformed } = hose.state();
        assertEquals([writing, written, transformed], [0, 0, 3 * unit]);
      });
    });
  }
}

test("a batch overfills the reader's buffer by one less than itself on the web, by all of it on node", async () => {
  for (const highWaterMark of [2, 4, 5, 16]) {
    const most: Record<string, number> = {};
    for (const [api, lay] of hoses) {
      most[api] = await atStandstill(lay, { highWaterMark, batchSize: 5, hasWriter: true }, async (
        hose,
      ) => {
        for (let writes = 0; writes < 3 * highWaterMark; writes++) {
          hose.finishWrite();
          await settle();
        }
        return hose.state().readerOutMost;
      });
    }
    assertEquals(most, { web: highWaterMark + 4, node: highWaterMark + 5 });
  }
});
