import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { attempt, compose, filter, map, parallel, tap, type Transformer } from "@hosepipe/streams";
import { checkPrograms, programWays, runProgram } from "../lib/programs.ts";
import { microtasks } from "../lib/microtasks.ts";
import { errorOf } from "../lib/error_of.ts";
import { turns } from "../lib/turns.ts";
import { withNotedTimers } from "../lib/with_noted_timers.ts";

const kinds = ["fn", "map", "compose", "nested", "parallel", "parallel, unordered"] as const;

interface Chunk {
  readonly n: number;
  /** How often it fails. */
  readonly fails: number;
  /** Whether a filter drops it. */
  readonly isDropped: boolean;
  /** How many microtasks each call takes; 0: it answers at once. */
  readonly wait: number;
  readonly answer: "fail" | "skip" | "replace";
}

const chunksOf = fc.array(
  fc.record({
    fails: fc.oneof(fc.constant(0), fc.nat(4)),
    isDropped: fc.boolean(),
    wait: fc.nat(3),
    answer: fc.constantFrom("fail", "skip", "skip", "replace"),
  }),
  { maxLength: 12 },
);

test("attempt() gives what a loop over an array gives, over random programs", async () => {
  await withNotedTimers(
    () =>
      checkPrograms(
        fc.asyncProperty(
          chunksOf,
          fc.constantFrom(...kinds),
          fc.integer({ min: 1, max: 4 }),
          fc.constantFrom(...programWays),
          fc.option(fc.nat(8)),
          fc.option(fc.nat(10)),
          async (rows, kind, attempts, way, takes, sourceFailsAt) => {
            const chunks: Chunk[] = rows.map((row, n) => ({ ...row, n } as Chunk));
            const calls = new Map<number, number>();
            const step = (chunk: Chunk): unknown => {
              const call = (calls.get(chunk.n) ?? 0) + 1;
              calls.set(chunk.n, call);
              const end = () => {
                if (call <= chunk.fails) throw `${chunk.n}:${call}`;
                return chunk.n;
              };
              return chunk.wait === 0 ? end() : microtasks(chunk.wait).then(end);
            };
            const options = {
              attempts,
              delayMs: 0,
              onError: (_: unknown, { answer, n, wait }: Chunk) => {
                const given = answer === "replace" ? { chunk: -n } : answer;
                return wait > 1 ? Promise.resolve(given) : given;
              },
            };
            const made = {
              fn: () => attempt(step as (chunk: Chunk) => number, options),
              map: () => attempt(map(step as (chunk: Chunk) => number), options),
              compose: () =>
                attempt(
                  compose(
                    tap((_: Chunk) => {}),
                    map(async (chunk) => [await step(chunk), chunk] as const),
                    filter(([, { isDropped }]) => !isDropped),
                    map(([n]) => n as number),
                  ),
                  options,
                ),
              nested: () =>
                attempt(attempt(step as (chunk: Chunk) => number, { attempts, delayMs: 0 }), {
                  ...options,
                  attempts: 1,
                }),
              parallel: () =>
                attempt(parallel(step as (chunk: Chunk) => number, { concurrency: 3 }), options),
              "parallel, unordered": () =>
                attempt(
                  parallel(step as (chunk: Chunk) => number, { concurrency: 3, ordered: false }),
                  options,
                ),
            }[kind]() as Transformer<Chunk, number>;

            // The model.
            const expected: number[] = [];
            let failure: unknown = "none";
            let [skipped, retried] = [0, 0];
            for (const { n, fails, isDropped, answer } of chunks) {
              if (n === sourceFailsAt) {
                failure = "source";
                break;
              }
              if (fails > 0 && attempts > 1) retried++;
              if (fails < attempts) {
                if (kind !== "compose" || !isDropped) expected.push(n);
              } else if (answer === "replace") expected.push(-n);
              else if (answer === "skip") skipped++;
              else {
                failure = `${n}:${attempts}`;
                break;
              }
            }

            const out: number[] = [];
            let next = 0;
            let isCancelled = false;
            const source = new ReadableStream<Chunk>({
              pull(controller) {
                if (next === sourceFailsAt && next < chunks.length) controller.error("source");
                else if (next < chunks.length) controller.enqueue(chunks[next++]!);
                else controller.close();
              },
              cancel: () => void (isCancelled = true),
            }, { highWaterMark: 0 });
            const sink = (n: number) => void out.push(n);
            const run = runProgram(way, source, made, takes, sink);
            const given = await errorOf(run);
            const isCut = takes !== null && out.length === takes;
            const isOrdered = kind !== "parallel, unordered";
            if (isOrdered) {
              assertEquals(out, expected.slice(0, out.length));
            } else {
              const all = chunks.flatMap(({ n }) => [n, -n]);
              for (const n of out) assert(all.includes(n));
            }
            if (given !== "none" && isOrdered) {
              // Where several calls are under way, the source may fail first.
              const failsMeanwhile = kind === "parallel" && given[0] === "source" &&
                sourceFailsAt! < chunks.length;
              if (!failsMeanwhile) assertEquals(given, [failure]);
            }
            if (given === "none" && !isCut) {
              assertEquals(failure, "none");
              assertEquals(sorted(out), sorted(expected));
              assertEquals(
                chunks.map(({ n }) => calls.get(n)),
                chunks.map(({ fails }) => {
                  return Math.min(fails + 1, attempts);
                }),
              );
              if (way === "pipeline" && takes === null) {
                const { chunksSkipped, chunksRetried } = await run;
                assertEquals([chunksSkipped, chunksRetried], [skipped, retried]);
              }
            } else if (given === "none") assert(isCut);
            // What fails in a fused chain comes after what was made before it.
            if (given !== "none" && way !== "native" && isOrdered && !kind.startsWith("parallel")) {
              assertEquals(out, expected);
            }
            // Several calls at a time may have read to the end.
            if (given !== "none" && failure !== "source" && !kind.startsWith("parallel")) {
              assert(isCancelled);
            }
            await turns(0);
          },
        ),
      ),
    (_, callback) => queueMicrotask(callback),
  );
});

function sorted(numbers: readonly number[]): number[] {
  return [...numbers].sort((a, b) => a - b);
}
