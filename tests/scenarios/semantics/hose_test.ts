import { test } from "node:test";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { currentRuntime } from "../../../runtimes/current_runtime.ts";
import { messageDelays } from "../../../scenarios/concurrency/last_admitting_sink.ts";
import { seededRandom } from "../../../scenarios/concurrency/seeded_random.ts";
import { compareFacts, describeDifferences } from "../../../scenarios/semantics/compare_facts.ts";
import { readExpected } from "../../../scenarios/semantics/expected_table.ts";
import { atStandstill, hoses } from "../../../scenarios/semantics/hoses.ts";
import { semanticsProbes } from "../../../scenarios/semantics/probes.ts";
import { settle } from "../../../scenarios/semantics/probe.ts";

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

const { name: runtime, version } = currentRuntime();
const { facts: expected, explanations } = readExpected(runtime, version);

test("every probe has its table, and every table its probe", () => {
  assertEquals(Object.keys(expected).sort(), semanticsProbes.map(({ name }) => name).sort());
});

for (const { name, question, measure } of semanticsProbes) {
  test(`${name}: ${question}`, async () => {
    const facts = { [name]: await measure() };
    const table = { facts: { [name]: expected[name]! }, explanations };
    const open = compareFacts(table, facts).filter(({ because }) => because === undefined);
    assert(open.length === 0, `\n${describeDifferences(open)}`);
  });
}

test("delays are 100 to 1,000 ms, one in ten of them 1,000 longer", () => {
  const delays = messageDelays(10_000, seededRandom(1));
  assertEquals(delays.length, 10_000);
  assert(delays.every((delay) => Number.isInteger(delay) && delay >= 100 && delay <= 2000));
  const slow = delays.filter((delay) => delay > 1000).length;
  // A thousand expected, thirty the standard deviation.
  assert(slow > 850 && slow < 1150, `${slow} slow messages`);
  const mean = delays.reduce((sum, delay) => sum + delay) / delays.length;
  assert(mean > 630 && mean < 670, `${mean} ms on average`);
});

test("the seed decides them", () => {
  assertEquals(messageDelays(50, seededRandom(7)), messageDelays(50, seededRandom(7)));
  assertNotEquals(messageDelays(50, seededRandom(7)), messageDelays(50, seededRandom(8)));
});

test("the speedup divides the very same delays, down to one millisecond", () => {
  const delays = messageDelays(100, seededRandom(3));
  assertEquals(
    messageDelays(100, seededRandom(3), 10),
    delays.map((delay) => Math.round(delay / 10)),
  );
  assertEquals(new Set(messageDelays(100, seededRandom(3), 10_000)), new Set([1]));
});
