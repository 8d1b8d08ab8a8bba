import { test } from "node:test";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { type Condition, underAllConditions } from "../lib/conditions.ts";
import { type CountedSource, countedSource } from "../lib/counted_source.ts";
import { keepingSink } from "../lib/keeping_sink.ts";
import { operators } from "../lib/operators.ts";
import { range } from "../lib/range.ts";
import { type Way, ways, writableMark } from "../lib/ways.ts";
import type { Operator, Stage } from "../lib/operator.ts";
import { flatMap, fuse, map, parallel } from "@hosepipe/streams";
import { from } from "../lib/from.ts";
import { errorOf } from "../lib/error_of.ts";
import { makeWritable } from "../lib/probing.ts";
import { turns } from "../lib/turns.ts";

const length = 256;

for (const way of ways) {
  for (const operator of operators) {
    test(`${way.name}, ${operator.name}: ${length} chunks come out equal and in order`, () =>
      underAllConditions(way, operator, async ({ mark, burst }) => {
        const source = countedSource({
          ...{ chunk: operator.input, length },
          ...{ highWaterMark: mark, burst },
        });
        const sink = keepingSink({ highWaterMark: writableMark(mark) });
        await way.run(source.readable, [operator.make()], sink.writable, { mark });
        const chunks = operator.keepsOrder
          ? sink.chunks
          : (sink.chunks as number[]).toSorted((a, b) => a - b);
        assertEquals(chunks, range(length).map(operator.output));
        assertEquals([source.readCount, sink.closeCount], [length, 1]);
      }));
  }
}

for (const way of ways) {
  for (const operator of operators) {
    test(`${way.name}, ${operator.name}: an empty source gives nothing and flushes once`, () =>
      underAllConditions(way, operator, async ({ mark }) => {
        const source = countedSource({ length: 0, highWaterMark: mark });
        const sink = keepingSink({ highWaterMark: writableMark(mark) });
        const effects: string[] = [];
        const stage = operator.make();
        const counting: Stage = {
          ...stage,
          flush(controller) {
            effects.push("flush");
            return stage.flush?.(controller);
          },
          cancel(reason) {
            effects.push("cancel");
            return stage.cancel?.(reason);
          },
        };
        await way.run(source.readable, [counting], sink.writable, { mark });
        assertEquals(sink.chunks, []);
        assertEquals(effects, ["flush"]);
        assertEquals([sink.closeCount, sink.abortReasons, source.cancelReasons], [1, [], []]);
      }));
  }
}

async function run(way: Way, name: string, count: number, stages: Stage[]): Promise<unknown[]> {
  const chunk = (n: number) => n % 2 === 0 ? `${name}${n}` : `${n}\n`;
  const source = countedSource({ chunk, length: count });
  const sink = keepingSink();
  await way.run(source.readable, stages, sink.writable);
  return sink.chunks;
}

for (const way of ways) {
  for (const { name, makeStateful: make } of operators) {
    if (make === undefined) continue;
    test(`${way.name}, ${name}: one instance in two streams at once keeps them apart`, async () => {
      const expected = [
        await run(way, "a", 20, [make()]),
        await run(way, "b", 13, [make()]),
      ];
      const stage = make();
      const both = await Promise.all([run(way, "a", 20, [stage]), run(way, "b", 13, [stage])]);
      assertEquals(both, expected);
      assertEquals(await run(way, "a", 20, [stage]), expected[0]);
    });

    test(`${way.name}, ${name}: one instance twice in a chain is two stages`, async () => {
      const show = map((chunk) => typeof chunk === "string" ? chunk : JSON.stringify(chunk));
      const expected = await run(way, "a", 20, [make(), show, make()]);
      const stage = make();
      assertEquals(await run(way, "a", 20, [stage, show, stage]), expected);
    });
  }
}

for (const operator of operators) {
  test(`a pair made of ${operator.name} and used twice is refused, and the first use unharmed`, async () => {
    const pair = fuse(operator.make());
    const output = from(range(3).map(operator.input)).pipeThrough(pair);
    assertThrows(() => from([operator.input(0)]).pipeThrough(pair), TypeError);
    assertEquals(await Array.fromAsync(output), range(3).map(operator.output));
  });
}

const taken = 3;

/** Lets a run go as far as it goes, looks at what was read, and ends it. */
async function readAtStandstill(
  way: Way,
  stages: Stage[],
  writable: WritableStream<unknown>,
  source: CountedSource<unknown>,
  { mark }: Condition,
  release: () => void,
): Promise<number> {
  const abort = new AbortController();
  const { signal } = abort;
  const error = errorOf(way.run(source.readable, stages, writable, { mark, signal }));
  await turns();
  const { readCount } = source;
  const reason = new Error("enough");
  abort.abort(reason);
  release();
  assertEquals(await error, [reason]);
  return readCount;
}

function endless({ input }: Operator, { mark, burst }: Condition): CountedSource<unknown> {
  return countedSource({ chunk: input, highWaterMark: mark, burst });
}

function assertAtMost(readCount: number, bound: number, { burst }: Condition): void {
  // A burst is read whole for the one chunk of it that there is room for.
  const most = bound + burst - 1;
  assert(readCount <= most, `read ${readCount} chunks, more than ${most}`);
}

for (const way of ways) {
  for (const operator of operators) {
    test(`${way.name}, ${operator.name}: no chunk is read that no buffer has room for`, () =>
      underAllConditions(way, operator, async (condition) => {
        const { mark } = condition;
        const sink = keepingSink({ length: taken, highWaterMark: writableMark(mark) });
        const source = endless(operator, condition);
        const { writable, release } = sink;
        const stages = [operator.make()];
        const read = await readAtStandstill(way, stages, writable, source, condition, release);
        assertEquals(sink.chunks.length, taken);
        assertAtMost(read, taken + way.sumOfMarks(1, mark) + operator.readAhead, condition);
      }));

    test(`${way.name}, ${operator.name}: without a sink's demand nothing is read but ahead`, () =>
      underAllConditions(way, operator, async (condition) => {
        const { mark } = condition;
        const source = endless(operator, condition);
        // A sink that has not started yet takes nothing out of its queue.
        const { promise, resolve } = Promise.withResolvers<void>();
        const writable = makeWritable<unknown>({ start: () => promise }, {
          highWaterMark: writableMark(mark),
        });
        const stages = [operator.make()];
        const read = await readAtStandstill(way, stages, writable, source, condition, resolve);
        assertAtMost(read, way.sumOfMarks(1, mark) + operator.readAhead, condition);
      }));

    test(`${way.name}, ${operator.name}: before a stage that hangs no more is read than queues hold`, () =>
      underAllConditions(way, operator, async (condition) => {
        const { mark } = condition;
        const source = endless(operator, condition);
        const { promise, resolve } = Promise.withResolvers<void>();
        const triple = flatMap((chunk) => [chunk, chunk, chunk]);
        const stages = [operator.make(), triple, { ...operator.make() }, {
          transform: () => promise,
        }];
        // What an operator gives may be no chunk for another of its kind.
        const input = operator.input(0);
        if (typeof input === "string" || Array.isArray(input)) stages.splice(2, 1);
        const writable = makeWritable<unknown>({}, { highWaterMark: writableMark(mark) });
        const read = await readAtStandstill(way, stages, writable, source, condition, resolve);
        // One that the last stage is given, and one that each stage holds.
        const held = 1 + stages.length + 2 * operator.readAhead;
        assertAtMost(read, held + way.sumOfMarks(stages.length, mark), condition);
      }));
  }
}

for (const way of ways) {
  test(`${way.name}, parallel: behind a call that hangs no more is read than its window holds`, async () => {
    const window = 6;
    for (const mark of [0, 1, 2, 16]) {
      const condition: Condition = { mark, burst: 1 };
      const source = countedSource<unknown>({ chunk: (n) => n, highWaterMark: mark });
      let begun = 0;
      let inFlight = 0;
      const stage = parallel((chunk) => {
        begun++;
        assert(++inFlight <= 2);
        if (chunk === 0) return new Promise(() => {});
        return Promise.resolve(chunk).finally(() => inFlight--);
      }, { concurrency: 2, window });
      const writable = makeWritable<unknown>({}, { highWaterMark: writableMark(mark) });
      const read = await readAtStandstill(way, [stage], writable, source, condition, () => {});
      assertEquals(begun, window);
      assertAtMost(read, window + way.sumOfMarks(1, mark), condition);
    }
  });
}
