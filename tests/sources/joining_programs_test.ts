import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { mergeBy, peek, pipeline, take } from "@hosepipe/streams";
import { countedSource } from "../lib/counted_source.ts";
import { checkPrograms } from "../lib/programs.ts";
import { errorOf } from "../lib/error_of.ts";
import { microtasks } from "../lib/microtasks.ts";
import { turns } from "../lib/turns.ts";

const numbers = fc.array(fc.nat(9), { maxLength: 8 });
const rest = {
  takes: fc.option(fc.nat(12)),
  sinkFailsAt: fc.option(fc.nat(12)),
  sinkWait: fc.nat(2),
};

/** Reads a source to its end, or as far as a program does. */
async function readAll(
  source: ReadableStream<number>,
  { takes, sinkFailsAt, sinkWait }: {
    takes: number | null;
    sinkFailsAt: number | null;
    sinkWait: number;
  },
) {
  const out: number[] = [];
  const sink = (n: number) => {
    if (out.length === sinkFailsAt) throw "sink";
    out.push(n);
    if (sinkWait > 0) return microtasks(sinkWait);
  };
  return [await errorOf(pipeline(source, take<number>(takes ?? 1e6), sink)), out] as const;
}

/** What a list of chunks and a failure after it come to, if read so. */
function expectedOf(
  chunks: readonly number[],
  failure: string | undefined,
  { takes, sinkFailsAt }: { takes: number | null; sinkFailsAt: number | null },
) {
  if (takes === 0) return ["none", []];
  const end = takes ?? Infinity;
  if (sinkFailsAt !== null && sinkFailsAt < chunks.length && sinkFailsAt < end) {
    return [["sink"], chunks.slice(0, sinkFailsAt)];
  }
  if (failure === undefined || end <= chunks.length) return ["none", chunks.slice(0, end)];
  return [[failure], chunks];
}

test("mergeBy() gives what sorting lists gives, over random failures, ends and cancels", async () => {
  await checkPrograms(
    fc.asyncProperty(
      fc.array(fc.record({ chunks: numbers, fails: fc.nat(4) }), { maxLength: 4 }),
      fc.option(fc.nat(10)),
      fc.boolean(),
      fc.record(rest),
      async (lists, orderFailsAt, isKeyed, way) => {
        for (const { chunks } of lists) chunks.sort((one, other) => one - other);
        let calls = 0;
        const call = <T>(result: T): T => {
          if (calls++ === orderFailsAt) throw "order";
          return result;
        };
        const order = isKeyed
          ? { key: (n: number) => call(n) }
          : { compare: (one: number, other: number) => call(one - other) };
        const opened = lists.map(({ chunks, fails }, index) =>
          countedSource({
            chunk: (n) => chunks[n]!,
            length: chunks.length,
            atEnd: fails === 0 ? { reason: `source ${index}` } : "close",
          })
        );
        const [given, out] = await readAll(
          mergeBy<number[]>(order, ...opened.map(({ readable }) => readable)),
          way,
        );
        await turns(0);

        // The model: the smallest first one of all, as long as each that has not ended has a first one.
        const merged: number[] = [];
        const places = lists.map(() => 0);
        const failsNow = () =>
          lists.flatMap(({ chunks, fails }, index) =>
            fails === 0 && places[index] === chunks.length ? [`source ${index}`] : []
          );
        let failed = failsNow();
        while (failed.length === 0) {
          const firsts = lists.map(({ chunks }, index) => chunks[places[index]!] ?? Infinity);
          const smallest = Math.min(...firsts);
          if (smallest === Infinity) break;
          merged.push(smallest);
          places[firsts.indexOf(smallest)]!++;
          failed = failsNow();
        }
        const [failure] = failed;

        const wasOrder = given !== "none" && given[0] === "order";
        if (wasOrder || calls > (orderFailsAt ?? Infinity)) {
          assertEquals(out, merged.slice(0, out.length));
          assert(wasOrder || out.length === way.takes || given !== "none");
        } else if (failed.length > 1) {
          // Which one is heard first is theirs.
          assertEquals(out, (expectedOf(merged, failure, way)[1] as number[]).slice(0, out.length));
          if (given !== "none" && given[0] !== "sink") assert(failed.includes(given[0] as string));
        } else assertEquals([given, out], expectedOf(merged, failure, way));
        // No more than one of each is read ahead.
        const read = opened.reduce((sum, { readCount }) => sum + readCount, 0);
        assert(read <= out.length + 1 + lists.length, `${read} read, ${out.length} given`);
        for (const { cancelReasons } of opened) assert(cancelReasons.length <= 1);
      },
    ),
  );
});

test("peek() loses and adds nothing, over random lengths, failures, ends and cancels", async () => {
  await checkPrograms(
    fc.asyncProperty(
      numbers,
      fc.boolean(),
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }),
      fc.record(rest),
      async (chunks, fails, peeks, way) => {
        const counted = countedSource({
          chunk: (n) => chunks[n]!,
          length: chunks.length,
          atEnd: fails ? { reason: "source" } : "close",
        });
        let source = counted.readable;
        const longest = Math.max(...peeks);
        const given = await errorOf((async () => {
          for (const n of peeks) {
            const peeked = await peek(source, n);
            assertEquals(peeked.chunks, chunks.slice(0, n));
            source = peeked.source;
          }
        })());
        if (fails && longest > chunks.length) return assertEquals(given, ["source"]);
        assertEquals([given, counted.readCount], ["none", Math.min(longest, chunks.length)]);
        const seen = await readAll(source, way);
        await turns(0);
        assertEquals([...seen], expectedOf(chunks, fails ? "source" : undefined, way));
        const [, out] = seen;
        assert(counted.readCount <= Math.max(longest, out.length + 1));
        const wasLeft = seen[0] !== "none" && seen[0][0] === "sink" || out.length === way.takes;
        assert(counted.cancelReasons.length <= (wasLeft ? 1 : 0));
      },
    ),
  );
});
