import assert from "node:assert/strict";
import fastCheck from "fast-check";
import { batch, map, pipeline } from "@hosepipe/streams";
import {
  chaos,
  checkSink,
  checkSource,
  checkStage,
  expectDiagram,
  record,
  replay,
  testSink,
  testSource,
  virtualTime,
} from "@hosepipe/streams/testing";

/** What a project tests with the kit, whatever runs its tests. */
export const cases = {
  "an hour takes no time": async () => {
    await using time = virtualTime();
    await time.run(new Promise((resolve) => setTimeout(resolve, 3_600_000)));
    assert.equal(time.now, 3_600_000);
  },
  "ends that the test holds": async () => {
    const [source, sink] = [testSource(), testSink()];
    const run = pipeline(source.readable, map((n) => n * 2), sink.writable);
    source.give(1, 2);
    assert.equal(await sink.next(), 2);
    sink.fail("enough");
    assert.equal(await source.cancelled, "enough");
    await assert.rejects(run, (reason) => reason === "enough");
  },
  "an expectation that fails has a diagram": async () => {
    await using _time = virtualTime();
    const source = testSource();
    await assert.rejects(() => source.pulled(1), /no timer is set\nsource, not read yet: open/);
  },
  "a diagram": async () => {
    const values = { X: ["a", "b"] };
    await expectDiagram(batch(3, { maxWaitMs: 2 }), { in: "ab-|", out: "--X|", values });
  },
  "a recording": async () => {
    const { recording } = await record(({ source, sink }) =>
      pipeline(source([1, new Uint8Array(2)]), sink(() => {}))
    );
    const written = await replay(recording, async ({ source, sink, written }) => {
      await pipeline(source, sink);
      return written;
    });
    assert.equal(written[0], 1);
    assert.deepEqual([...written[1]], [0, 0]);
  },
  "laws of a stage": async () => {
    const result = await checkStage(() => map((n) => n * 2), {
      chunks: [1, 2, 3],
      expected: (chunks) => chunks.map((n) => n * 2),
    });
    result.throwIfFailed();
  },
  "laws of a source": async () => {
    const result = await checkSource(({ underlying }) => ({
      async pull(controller) {
        const { done, value } = await underlying.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => underlying.cancel(reason),
    }));
    result.throwIfFailed();
  },
  "laws of a sink": async () => {
    const result = await checkSink(({ underlying }) => ({
      write: (chunk) => underlying.write(chunk),
      close: () => underlying.close(),
      abort: (reason) => underlying.abort(reason),
    }));
    result.throwIfFailed();
  },
  "chaos": async () => {
    const result = await chaos(async ({ source, sink, signal }) => {
      const written = [];
      await pipeline(source([1, 2, 3]), sink((chunk) => void written.push(chunk)), { signal });
      assert.deepEqual(written, [1, 2, 3]);
    }, { fastCheck, runs: 50, seed: 1 });
    result.throwIfFailed();
  },
};
