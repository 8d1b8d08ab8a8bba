import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { filter, fuse, map, pipeline, take } from "@hosepipe/streams";
import { type Operator, operators } from "./_operators.ts";

type Stage = Transformer<unknown, unknown>;

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
    if (this.writtenCount % 1024 === 0) return this.#rest();
  };

  async #rest(): Promise<void> {
    for (let n = 0; n < 20; n++) await undefined;
    this.highest = Math.max(this.highest, this.readCount - this.writtenCount);
  }
}

const ways: Readonly<
  Record<
    string,
    (source: Iterable<unknown>, stages: Stage[], write: Occupancy["write"]) => Promise<unknown>
  >
> = {
  native: (source, stages, write) =>
    stages.reduce(
      (readable: ReadableStream<unknown>, stage) =>
        readable.pipeThrough(new TransformStream(stage)),
      toStream(source),
    ).pipeTo(new WritableStream({ write })),
  fuse: (source, stages, write) =>
    toStream(source).pipeThrough(fuse(...stages as [Stage])).pipeTo(new WritableStream({ write })),
  pipeline: (source, stages, write) => pipeline(source, ...stages as [Stage], write),
};

function toStream(source: Iterable<unknown>): ReadableStream<unknown> {
  const iterator = source[Symbol.iterator]();
  return new ReadableStream({
    pull(controller) {
      const { done, value } = iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  }, { highWaterMark: 0 });
}

// Native ends cost a thousand times what a chunk costs in `pipeline`: there each operator gets fewer.
const counts: Readonly<Record<string, (operator: Operator) => number>> = {
  native: () => 5_000,
  fuse: () => 10_000,
  pipeline: ({ isAsync }) => isAsync ? 50_000 : 200_000,
};

for (const [name, run] of Object.entries(ways)) {
  for (const operator of operators) {
    const count = counts[name]!(operator);
    test(`${name}, ${operator.name}: ${count} chunks never fill more than the queues`, async () => {
      const occupancy = new Occupancy();
      await run(occupancy.source(count, operator.input), [operator.make()], occupancy.write);
      assertEquals([occupancy.readCount, occupancy.writtenCount], [count, count]);
      // The queues between two stages, the chunk that a native pipe carries, and what the operator keeps by its options.
      const bound = (name === "pipeline" ? 1 : 3) + operator.readAhead;
      assert(occupancy.highest <= bound, `${occupancy.highest} chunks, more than ${bound}`);
    });
  }
}

test("pipeline, four operators: 10 million chunks never fill more than one place", async () => {
  const occupancy = new Occupancy();
  const count = 10_000_000;
  await pipeline(
    occupancy.source(count, (n) => n),
    map((n) => n as number),
    filter(() => true),
    take(count + 1),
    {
      transform(n: number, controller: TransformStreamDefaultController<number>) {
        controller.enqueue(n);
      },
    },
    occupancy.write,
  );
  assertEquals([occupancy.readCount, occupancy.writtenCount], [count, count]);
  assert(occupancy.highest <= 1, `${occupancy.highest} chunks`);
});
