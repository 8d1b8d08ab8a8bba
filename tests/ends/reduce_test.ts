import { test } from "node:test";
import { assertEquals, assertRejects } from "@std/assert";
import fc from "fast-check";
import {
  compose,
  count,
  every,
  filter,
  find,
  first,
  last,
  map,
  reduce,
  some,
  toArray,
  type Transformer,
} from "@hosepipe/streams";
import { collectUnhandled } from "../lib/collect_unhandled.ts";
import { endingSource } from "../lib/counted_source.ts";
import { errorOf } from "../lib/error_of.ts";
import { microtasks } from "../lib/microtasks.ts";
import { draws } from "../lib/thorough.ts";
import { turns } from "../lib/turns.ts";

const run = reduce as unknown as (...args: unknown[]) => Promise<unknown>;

test("reduce() gives the seed where there is no chunk, whatever it is", async () => {
  const fn = () => 1;
  const seeds = [0, undefined, null, "s", [], fn, new Map(), { signal: 1, seed: 2 }];
  for (const seed of seeds) assertEquals(await run([], fn, seed), seed);
  assertEquals(await run([], fn, { seed: () => 5 }), 5);
  assertEquals(await run([1], map((n) => n), fn, fn, { signal: undefined }), 1);
});

test("reduce() waits for promises, gives the index, and makes its seed anew", async () => {
  const calls: unknown[] = [];
  const fn = async (sum: number, n: number, index: number) => {
    calls.push([sum, n, index]);
    await undefined;
    return sum + n;
  };
  assertEquals(await reduce([1, 2], map((n) => n * 10), fn, 5), 35);
  assertEquals(calls, [[5, 10, 0], [15, 20, 1]]);
  const list = { seed: () => [] as number[] };
  const push = (all: number[], n: number) => (all.push(n), all);
  assertEquals(await reduce([1], push, list), [1]);
  assertEquals(await reduce([2], push, list), [2]);
});

test("reduce(), every(), some() and find() say what is missing", async () => {
  const loose = (end: unknown) => end as typeof run;
  await assertRejects(() => run([1]), TypeError, "Cannot run reduce");
  await assertRejects(() => run([1], 5, 0), TypeError, "Cannot run reduce: fn must be a function");
  await assertRejects(
    () => run([1], (n: number) => n, (n: number) => n, 0, {}),
    TypeError,
    "stage",
  );
  for (const [name, end] of Object.entries({ every, some, find })) {
    await assertRejects(() => loose(end)([1]), TypeError, `Cannot run ${name}: fn must be`);
    await assertRejects(() => loose(end)([1], map((n) => n)), TypeError, `${name}: fn must be`);
  }
});

test("find() finds a chunk that is undefined only by what it gives", async () => {
  assertEquals(await find([undefined, 1], (n) => n === undefined), undefined);
  assertEquals(await some([undefined, 1], (n) => n === undefined), true);
});

const rounds = draws(100);

type Asked = (n: number) => boolean;
type Stages = [Transformer<number, number>, Transformer<number, number>];

/** An end, and what a list gives that is read only as far as it needs. */
interface Subject {
  readonly run: (
    source: ReadableStream<number>,
    stages: Stages,
    asked: (n: number) => boolean | Promise<boolean>,
  ) => Promise<unknown>;
  readonly model: (source: Iterable<number>, asked: Asked) => unknown;
}

const subjects: Record<string, Subject> = {
  "count": {
    run: (source, stages) => count(source, ...stages),
    model: (source) => [...source].length,
  },
  "every": {
    run: (source, stages, asked) => every(source, ...stages, asked),
    model(source, asked) {
      for (const n of source) if (!asked(n)) return false;
      return true;
    },
  },
  "some": {
    run: (source, stages, asked) => some(source, ...stages, asked),
    model(source, asked) {
      for (const n of source) if (asked(n)) return true;
      return false;
    },
  },
  "find": {
    run: (source, stages, asked) => find(source, ...stages, asked),
    model(source, asked) {
      for (const n of source) if (asked(n)) return n;
      return undefined;
    },
  },
  "first": {
    run: (source, stages) => first(source, ...stages),
    model(source) {
      for (const n of source) return n;
      return undefined;
    },
  },
  "last": {
    run: (source, stages) => last(source, ...stages),
    model: (source) => [...source].at(-1),
  },
  "reduce": {
    run: (source, stages, asked) =>
      reduce(source, ...stages, (sum: number, n: number) => {
        const next = (is: boolean) => sum * 2 + (is ? n : 1);
        const answer = asked(n);
        return typeof answer === "boolean" ? next(answer) : answer.then(next);
      }, 7),
    model(source, asked) {
      let sum = 7;
      for (const n of source) sum = sum * 2 + (asked(n) ? n : 1);
      return sum;
    },
  },
  "toArray": {
    run: (source, stages) => toArray(source, ...stages),
    model: (source) => [...source],
  },
};

const programs = fc.record({
  chunks: fc.array(fc.nat(9), { maxLength: 14 }),
  answer: fc.nat(9),
  failsAt: fc.option(fc.nat(10)),
  sourceFailsAt: fc.option(fc.nat(14)),
  stageFailsAt: fc.option(fc.nat(14)),
  wait: fc.nat(2),
  isComposed: fc.boolean(),
});

for (const [name, { run, model }] of Object.entries(subjects)) {
  test(`${name}() gives what a list gives, over random programs`, async () => {
    const unhandled = collectUnhandled();
    await fc.assert(
      fc.asyncProperty(programs, async (program) => {
        const { chunks, answer, failsAt, sourceFailsAt, stageFailsAt, wait, isComposed } = program;
        const askedOf = () => {
          let calls = 0;
          return (n: number) => {
            if (calls++ === failsAt) throw "call";
            return n > answer;
          };
        };
        const doubledOf = () => {
          let calls = 0;
          return (n: number) => {
            if (calls++ === stageFailsAt) throw "stage";
            return n;
          };
        };
        function* before() {
          const doubled = doubledOf();
          for (let index = 0;; index++) {
            if (index === sourceFailsAt) throw "source";
            if (index === chunks.length) return;
            const n = doubled(chunks[index]!);
            if (n % 4 !== 3) yield n;
          }
        }
        let expected: unknown;
        const failure = await errorOf((async () => {
          await undefined;
          expected = model(before(), askedOf());
        })());

        const ended = endingSource(chunks, sourceFailsAt);
        const asked = askedOf();
        const stages: Stages = [map(doubledOf()), filter((n) => n % 4 !== 3)];
        const given = run(
          ended.source,
          isComposed ? [compose(...stages), map((n) => n)] : stages,
          wait === 0 ? asked : (n) => microtasks(wait).then(() => asked(n)),
        );
        let value: unknown;
        const seen = await errorOf(given.then((it) => {
          value = it;
        }));
        await turns(0);
        assertEquals(ended.closed, 1);
        // While the function is waited for one chunk is read ahead, which may fail first.
        const ahead = await errorOf((async () => void await [...before()])());
        if (wait > 0 && JSON.stringify(seen) === JSON.stringify(ahead) && ahead !== "none") return;
        assertEquals([seen, value], [failure, expected]);
      }),
      { numRuns: rounds },
    );
    await turns();
    assertEquals(unhandled.take(), []);
    unhandled.close();
  });
}
