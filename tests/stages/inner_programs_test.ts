import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { compose, expand, flatMap, parallel, type Transformer } from "@hosepipe/streams";
import { checkPrograms, programWays, runProgram } from "../lib/programs.ts";
import { microtasks } from "../lib/microtasks.ts";
import { errorOf } from "../lib/error_of.ts";
import { turns } from "../lib/turns.ts";

/** How a run of one program ended. */
interface Ended {
  readonly out: readonly number[];
  readonly failure: [reason: unknown] | "none";
  readonly isCut: boolean;
}

/** How a program is run. */
interface Program {
  readonly way: typeof programWays[number];
  readonly count: number;
  readonly takes: number | null;
  readonly sourceFailsAt: number | null;
  readonly sinkWait: number;
}

const programs: fc.Arbitrary<Omit<Program, "count">> = fc.record({
  way: fc.constantFrom(...programWays),
  takes: fc.option(fc.nat(12)),
  sourceFailsAt: fc.option(fc.nat(8)),
  sinkWait: fc.nat(3),
});

/** Runs a stage over the numbers from 0. */
async function execute(stage: Transformer<number, number>, program: Program): Promise<Ended> {
  const { way, count, takes, sourceFailsAt, sinkWait } = program;
  let next = 0;
  const source = new ReadableStream<number>({
    pull(controller) {
      if (next === sourceFailsAt) controller.error("source");
      else if (next < count) controller.enqueue(next++);
      else controller.close();
    },
  }, { highWaterMark: 0 });
  const out: number[] = [];
  const sink = (n: number) => {
    out.push(n);
    if (sinkWait > 0) return microtasks(sinkWait);
  };
  const failure = await errorOf(runProgram(way, source, stage, takes, sink));
  return { out, failure, isCut: takes !== null && out.length === takes };
}

/** Counts what is open at a time. */
class Gauge {
  opened = 0;
  closed = 0;
  most = 0;

  open(): void {
    this.opened++;
    this.most = Math.max(this.most, this.opened - this.closed);
  }

  close(): void {
    this.closed++;
  }
}

const innerOf = fc.record({
  length: fc.nat(4),
  kind: fc.constantFrom("array", "generator", "async", "promise"),
  wait: fc.nat(4),
  failsAt: fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, {
    weight: 1,
    arbitrary: fc.nat(4),
  }),
});

test("flatMap(), several at a time, gives what a loop gives, over random programs", async () => {
  await checkPrograms(
    fc.asyncProperty(
      fc.array(innerOf, { maxLength: 10 }),
      fc.integer({ min: 2, max: 4 }),
      fc.boolean(),
      programs,
      async (inners, concurrency, ordered, rest) => {
        const program = { ...rest, count: inners.length };
        const gauge = new Gauge();
        const fn = (n: number): Iterable<number> | AsyncIterable<number> => {
          const { length, kind, wait, failsAt } = inners[n]!;
          const items = Array.from({ length }, (_, at) => n * 10 + at);
          const fail = (at: number) => {
            if (at === failsAt) throw `inner ${n}`;
          };
          function* generate() {
            gauge.open();
            try {
              for (const [at, item] of items.entries()) {
                fail(at);
                yield item;
              }
              fail(length);
            } finally {
              gauge.close();
            }
          }
          async function* generateLater() {
            gauge.open();
            try {
              for (const [at, item] of items.entries()) {
                await microtasks(wait);
                fail(at);
                yield item;
              }
              await microtasks(wait);
              fail(length);
            } finally {
              gauge.close();
            }
          }
          if (kind === "generator") return generate();
          if (kind === "async") return generateLater();
          if (failsAt !== undefined) throw `inner ${n}`;
          return kind === "array" ? items : microtasks(wait).then(() => items) as never;
        };

        const expected: number[] = [];
        let failure: [unknown] | "none" = "none";
        for (const [n, { length, kind, failsAt }] of inners.entries()) {
          if (n === program.sourceFailsAt) {
            failure = ["source"];
            break;
          }
          const isWhole = failsAt === undefined ||
            (kind !== "array" && kind !== "promise" && failsAt > length);
          const given = isWhole ? length : kind === "generator" || kind === "async" ? failsAt : 0;
          for (let at = 0; at < given; at++) expected.push(n * 10 + at);
          if (!isWhole) {
            failure = [`inner ${n}`];
            break;
          }
        }
        if (failure === "none" && program.sourceFailsAt === inners.length) failure = ["source"];

        const stage = flatMap(fn, { concurrency, ordered });
        const ended = await execute(stage, program);
        assert(gauge.most <= concurrency, `${gauge.most} at a time`);
        if (ordered) {
          assertEquals(ended.out, expected.slice(0, ended.out.length));
        } else {
          for (const n of new Set(ended.out.map((item) => Math.floor(item / 10)))) {
            const own = ended.out.filter((item) => Math.floor(item / 10) === n);
            assertEquals(own, own.map((_, at) => n * 10 + at));
          }
        }
        if (ended.failure !== "none") {
          assert(failure !== "none", String(ended.failure[0]));
          // What was begun before it is delivered, but for native streams, which drop it.
          if (program.way !== "native" && !ended.isCut) {
            if (ordered) assertEquals([ended.failure, ended.out], [failure, expected]);
            else if (failure[0] === "source") assertEquals([...ended.out].sort(), expected.sort());
          }
        } else if (!ended.isCut) {
          assertEquals(failure, "none");
          assertEquals([...ended.out].sort(), [...expected].sort());
        }
        await turns(1);
        assertEquals(gauge.closed, gauge.opened);
      },
    ),
  );
});

test("parallel() with keys gives what a loop gives, over random programs", async () => {
  await checkPrograms(
    fc.asyncProperty(
      fc.array(
        fc.record({
          key: fc.nat(2),
          wait: fc.nat(8),
          fails: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, {
            weight: 1,
            arbitrary: fc.constant(true),
          }),
        }),
        { maxLength: 16 },
      ),
      fc.integer({ min: 1, max: 4 }),
      fc.boolean(),
      programs,
      async (calls, concurrency, ordered, rest) => {
        const program = { ...rest, count: calls.length };
        const all = new Gauge();
        const ofKeys = [0, 1, 2].map(() => new Gauge());
        const begun: number[][] = [[], [], []];
        const fn = (n: number): number | Promise<number> => {
          const { key, wait, fails } = calls[n]!;
          begun[key]!.push(n);
          if (wait === 0) {
            if (fails) throw `call ${n}`;
            return n;
          }
          all.open();
          ofKeys[key]!.open();
          return microtasks(wait).then(() => {
            all.close();
            ofKeys[key]!.close();
            if (fails) throw `call ${n}`;
            return n;
          });
        };
        const stage = parallel(fn, { concurrency, ordered, key: (n: number) => calls[n]!.key });
        const ended = await execute(stage, program);
        assert(all.most <= concurrency, `${all.most} at a time`);
        for (const [key, gauge] of ofKeys.entries()) {
          assert(gauge.most <= 1, `${gauge.most} of key ${key} at a time`);
          assertEquals(begun[key], [...begun[key]!].sort((one, other) => one - other));
        }
        const sorted = [...ended.out].sort((one, other) => one - other);
        if (ordered) assertEquals(ended.out, sorted);
        for (const key of [0, 1, 2]) {
          const own = ended.out.filter((n) => calls[n]!.key === key);
          assertEquals(own, [...own].sort((one, other) => one - other));
        }
        const canFail = calls.some(({ fails }) => fails) || program.sourceFailsAt !== null;
        if (ended.failure === "none" && !ended.isCut) {
          assertEquals(sorted, calls.map((_, n) => n));
          assert(!calls.some(({ fails }) => fails));
        }
        if (ended.failure !== "none") assert(canFail, String(ended.failure[0]));
        if (ended.failure !== "none" && ended.failure[0] !== "source") {
          assertEquals(String(ended.failure[0]).startsWith("call "), true);
          const n = Number(String(ended.failure[0]).slice(5));
          assert(calls[n]!.fails);
          if (ordered) assertEquals(ended.out, ended.out.map((_, at) => at));
        }
        await turns(1);
      },
    ),
  );
});

test("expand() gives every node of a tree once, over random programs", async () => {
  await checkPrograms(
    fc.asyncProperty(
      // The parent of each node but the first ones.
      fc.array(fc.option(fc.nat(30)), { maxLength: 24 }),
      fc.nat(4),
      fc.integer({ min: 1, max: 4 }),
      fc.boolean(),
      fc.constantFrom("array", "generator", "async", "promise"),
      fc.option(fc.nat(30)),
      programs,
      async (parents, wait, concurrency, isDistinct, kind, failsAt, rest) => {
        const roots: number[] = [];
        const children: number[][] = parents.map(() => []);
        for (const [n, parent] of parents.entries()) {
          if (parent === null || parent >= n) roots.push(n);
          else children[parent]!.push(n);
        }
        const program = { ...rest, count: roots.length };
        const gauge = new Gauge();
        const fn = (n: number): Iterable<number> | AsyncIterable<number> => {
          if (n === failsAt) throw `node ${n}`;
          // Known already: only `distinct` leaves it out.
          const found = isDistinct ? [...children[n]!, ...children[n]!] : children[n]!;
          if (kind === "array") return found;
          if (kind === "promise") return microtasks(wait).then(() => found) as never;
          if (kind === "generator") return found.values();
          return (async function* () {
            gauge.open();
            try {
              for (const item of found) {
                await microtasks(wait);
                yield item;
              }
            } finally {
              gauge.close();
            }
          })();
        };
        const stage = expand(fn, { concurrency, distinct: isDistinct ? {} : undefined });
        // The numbers that come are places in the list of roots.
        const named: Transformer<number, number> = {
          transform: (at, controller) => controller.enqueue(roots[at]!),
        };
        const ended = await execute(compose(named, stage), program);
        assert(gauge.most <= concurrency, `${gauge.most} at a time`);
        assertEquals(new Set(ended.out).size, ended.out.length);
        for (const [at, n] of ended.out.entries()) {
          const parent = parents[n];
          if (parent !== null && parent! < n) assert(ended.out.indexOf(parent!) < at);
        }
        const isFailing = failsAt !== null && failsAt < parents.length;
        if (ended.failure === "none" && !ended.isCut) {
          assertEquals([...ended.out].sort(), parents.map((_, n) => n).sort());
          assert(!isFailing);
        }
        if (ended.failure !== "none") assert(isFailing || program.sourceFailsAt !== null);
        await turns(1);
        assertEquals(gauge.closed, gauge.opened);
      },
    ),
  );
});
