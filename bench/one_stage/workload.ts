import { bar } from "../tables/bar.ts";
import assert from "node:assert/strict";
import { choiceParam, defineWorkload, integerParam } from "../measure/define_workload.ts";
import type { CaseRequest, PreparedCase, Workload } from "../measure/workload.ts";
import { contestants, type OneStageKind, type RunOneStage } from "./contestants.ts";

const kinds: readonly OneStageKind[] = ["batch", "flat-map", "format-ndjson", "parse-ndjson"];

/** As a read of a file gives them. */
const pieceLength = 65_536;

const rowOf = (index: number) => ({ id: index, name: `name ${index}`, isOpen: index % 2 === 0 });

function makeChunks(kind: OneStageKind, count: number): unknown[] {
  if (kind === "batch" || kind === "flat-map") return Array.from({ length: count }, (_, i) => i);
  const rows = Array.from({ length: count }, (_, index) => rowOf(index));
  if (kind === "format-ndjson") return rows;
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  return Array.from(
    { length: Math.ceil(text.length / pieceLength) },
    (_, index) => text.slice(index * pieceLength, (index + 1) * pieceLength),
  );
}

/** What of a result is counted: as much as shows that it is the right one. */
function sizeOf(result: unknown): number {
  if (typeof result === "number") return result;
  if (typeof result === "string" || Array.isArray(result)) return result.length;
  return (result as { readonly id: number }).id;
}

function prepare(run: RunOneStage, { params }: CaseRequest): PreparedCase {
  const kind = params.job as OneStageKind;
  const count = Number(params.chunks);
  const chunks = makeChunks(kind, count);
  let [taken, sum] = [0, 0];
  const take = (result: unknown) => {
    taken++;
    // The order counts, too.
    sum = (sum * 31 + sizeOf(result)) % 1_000_003;
  };
  return {
    async run() {
      taken = sum = 0;
      await run({ kind, chunks, take });
    },
    verify() {
      assert(taken > 0, "nothing came of it");
      return { chunks: count, bytes: 0, digest: `${taken}, ${sum}` };
    },
  };
}

/** One stage of each kind that has a library for itself. */
export const oneStage: Workload = defineWorkload({
  name: "one_stage",
  about: "an array through one stage",
  params: {
    job: choiceParam("job", { about: "what the stage does", choices: kinds }),
    chunks: integerParam("chunks", {
      about: "numbers, rows or lines",
      values: [20_000],
      quick: [2_000],
      publish: [20_000],
    }),
  },
  rates: ["ns per chunk"],
  bars: [
    bar("pipeline", "it-batch", {
      atMost: 1.1,
      whyMissed:
        "15 ns a chunk, half of it what a pipeline asks of each: whether it is a promise, whether the turn is " +
        "over, whether the sink waits (`--cpu-prof`: 48 % is that loop, 12 % the stage). Of an array the rival makes a " +
        "loop that does nothing but push, without a promise. Tried: a kernel in place of an operation with a controller " +
        "(kept: 2 to 3 times as fast); no closure in the loop (kept: a twelfth); no object for what the iterator answers " +
        "(kept: a tenth).",
    }),
    bar("pipeline", "most-core", { atMost: 0.9 }),
    bar("pipeline", "hand", {
      params: { job: "flat-map" },
      atMost: 1.1,
      whyMissed:
        "Half to two thirds are the arrays that the function makes, of which a loop passes each chunk to a sink that is " +
        "compiled into it (`--cpu-prof` of the copying design below: in Deno 34 % is the sink as it is compiled by itself, 1 % `flatMap`, 3 % the " +
        "write). Tried: an array copied by the runtime (in Bun a tenth to a seventh, but arrays of two were slower there; taken back); no closure in the loop (nothing); room " +
        "for chunks that is kept from array to array (in Node a twentieth, in Bun nothing); one loop for a copy and for " +
        "what is given one by one (no gain left); a copy of arrays of two, too (slower).",
    }),
    bar("pipeline", "hand", {
      params: { job: "format-ndjson" },
      atMost: 1.2,
      whyMissed:
        "Two thirds are `JSON.stringify`; 15 ns a chunk are the loop of a pipeline, of which the hand-written " +
        "one has nothing. Tried: a map of one function in place of a transformer (kept); a look at what is thrown only " +
        "where something is (kept); no closure and no object in the loop (kept: a twelfth).",
    }),
    bar("pipeline", "split2", {
      atMost: 0.95,
      whyMissed: "Two thirds are `JSON.parse`, the rest cutting lines; see the hand-written loop.",
    }),
    bar("pipeline", "bun-jsonl", {
      atMost: 0.95,
      whyMissed:
        "Bun parses all lines of a text in one call, without a text for each line; a hand-written loop around " +
        "`JSON.parse` takes 1.3 times as long as that. Tried: Bun's parser in ours, where it gives a value for each line " +
        "(twice as slow: it copies a part of a text first); all lines joined into one array for `JSON.parse` (a tenth " +
        "faster, but `1,2` and `[3` and `4]` would pass as three lines); a look at blank lines only where `JSON.parse` " +
        "throws (kept).",
    }),
  ],
  set: "publish",
  contestantSet: "publish",
  contestants,
  prepare,
});
