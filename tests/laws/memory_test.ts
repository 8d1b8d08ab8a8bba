import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { filter, map, pipeline, take } from "@hosepipe/streams";
import { conditions } from "../lib/conditions.ts";
import { from } from "../lib/from.ts";
import type { Operator, Stage } from "../lib/operator.ts";
import { operators } from "../lib/operators.ts";
import { makeWritable } from "../lib/probing.ts";
import { isThorough } from "../lib/thorough.ts";
import { connectingWays, writableMark } from "../lib/ways.ts";

/** Counts the chunks that were read and not yet written, at each write. */
class Occupancy {
  highest = 0;
  readCount = 0;
  writtenCount = 0;

  *source(count: number, chunk: Operator["input"]): Generator<unknown> {
    while (this.readCount < count) yield chunk(this.readCount++);
  }

  /** A sink that is slow now and then: so that chunks would pile up if anything let them. */
  readonly write = (): void | Promise<void> => {
    this.writtenCount++;
    // What is being written is out of the buffers.
    this.highest = Math.max(this.highest, this.readCount - this.writtenCount);
    if (this.writtenCount % 256 === 0) return this.#rest();
  };

  async #rest(): Promise<void> {
    for (let n = 0; n < 20; n++) await undefined;
    this.highest = Math.max(this.highest, this.readCount - this.writtenCount);
  }

  assertAtMost(bound: number, count: number): void {
    assertEquals([this.readCount, this.writtenCount], [count, count]);
    assert(this.highest <= bound, `${this.highest} chunks, more than ${bound}`);
  }
}

// Native ends cost a thousand times what a chunk costs in `pipeline`: there each operator gets fewer.
const countsBetweenStreams: Readonly<Record<string, number>> = { native: 600, fuse: 1_200 };
const marks = [...new Set(conditions.map(({ mark }) => mark))];

for (const way of connectingWays) {
  for (const operator of operators) {
    const count = countsBetweenStreams[way.name]!;
    for (const mark of marks) {
      test(`${way.name}, ${operator.name}: ${count} chunks never fill more than the queues, of mark ${mark}`, async () => {
        const occupancy = new Occupancy();
        const { write } = occupancy;
        const sink = makeWritable({ write }, { highWaterMark: writableMark(mark) });
        const source = from(occupancy.source(count, operator.input));
        await way.run(source, [operator.make()], sink, { mark });
        // The sum has the mark of a source's queue, which is 0 here, and a native pipe carries a chunk.
        const bound = way.sumOfMarks(1, mark) - mark + 1 + operator.readAhead;
        occupancy.assertAtMost(bound, count);
      });
    }
  }
}

// The sink rests 50 times: what grew with the number of chunks would be over the bound long before.
for (const operator of operators) {
  const count = 12_800;
  test(`pipeline, ${operator.name}: ${count} chunks never fill more than one place`, async () => {
    const occupancy = new Occupancy();
    const source = occupancy.source(count, operator.input);
    await pipeline(source, operator.make(), occupancy.write);
    occupancy.assertAtMost(1 + operator.readAhead, count);
  });
}

const many = isThorough ? 10_000_000 : 1_000_000;

test(`pipeline, four operators: ${many} chunks never fill more than one place`, async () => {
  const occupancy = new Occupancy();
  const count = many;
  await pipeline(
    occupancy.source(count, (n) => n),
    map((n) => n as number),
    filter(() => true),
    take(count + 1),
    {
      transform(n: number, controller: TransformStreamDefaultController<number>) {
        controller.enqueue(n);
      },
    } satisfies Transformer<number, number> as Stage,
    occupancy.write,
  );
  occupancy.assertAtMost(1, count);
});
