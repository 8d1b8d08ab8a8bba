// Prints what a chunk waits in one contestant of chains, or what it costs, as JSON:
//   node … measure_latency.ts CONTESTANT waits|costs
import process from "node:process";
import { chainContestants } from "../chains/contestants.ts";
import type { ChainJob, Step } from "../chains/job.ts";
import { findContestant } from "../measure/find_contestant.ts";
import { quantile } from "../results/statistics.ts";
import { type LatencyRound, loads, stageCounts } from "./latency_result.ts";

const [name, what] = process.argv.slice(2) as [string, "waits" | "costs"];
const runChain = await findContestant("chains", chainContestants, name).load();
const { gc } = globalThis as { readonly gc?: () => void };

const secondMs = 1_000;
const stages = 5;
const add: Step = { kind: "map", fn: (chunk: { value: number }) => ({ value: chunk.value + 1 }) };
const stepsOf = (count: number): Step[] => Array.from({ length: count }, () => add);

async function* count(chunks: number): AsyncGenerator<{ value: number }, void, undefined> {
  for (let value = 0; value < chunks; value++) yield { value };
}

async function timeMs(chunks: number, steps: readonly Step[]): Promise<number> {
  let taken = 0;
  const write = () => void taken++;
  const startedAtMs = performance.now();
  await runChain({ source: () => count(chunks), isBatched: false, steps, write });
  const elapsedMs = performance.now() - startedAtMs;
  if (taken !== chunks) throw new Error(`Cannot accept ${name}: ${taken} of ${chunks} chunks`);
  return elapsedMs;
}

/** A turn of the event loop. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Each chunk comes when it is due, in the turn of the event loop after that. */
async function latenciesMs(perSecond: number, forMs: number): Promise<number[]> {
  const chunks = Math.ceil(perSecond * forMs / secondMs);
  const dueMs = new Float64Array(chunks);
  const found: number[] = [];
  const job: ChainJob = {
    isBatched: false,
    steps: stepsOf(stages),
    async *source() {
      const startedAtMs = performance.now();
      for (let index = 0; index < chunks; index++) {
        dueMs[index] = startedAtMs + index * secondMs / perSecond;
        while (performance.now() < dueMs[index]!) await nextTurn();
        yield { value: index };
      }
    },
    write: ({ value }: { readonly value: number }) =>
      void found.push(performance.now() - dueMs[value - stages]!),
  };
  await runChain(job);
  return found;
}

async function bestOf(times: number, measure: () => Promise<number>): Promise<number> {
  let best = Infinity;
  for (let time = 0; time < times; time++) best = Math.min(best, await measure());
  return best;
}

/** What is made on the heap while nothing is collected: the process has room for it. */
async function bytesPerChunk(): Promise<number | undefined> {
  if (gc === undefined) return undefined;
  const chunks = 10_000;
  gc();
  const before = process.memoryUsage().heapUsed;
  await timeMs(chunks, stepsOf(stages));
  return (process.memoryUsage().heapUsed - before) / chunks;
}

async function measureWaits(): Promise<LatencyRound["waits"]> {
  const firstChunkMs = await timeMs(1, stepsOf(stages));
  const chunks = 50_000;
  const elapsedMs = await bestOf(5, () => timeMs(chunks, stepsOf(stages)));
  const highestPerSecond = chunks * secondMs / elapsedMs;
  const p50Ms: number[] = [];
  const p99Ms: number[] = [];
  for (const load of loads) {
    const found = await latenciesMs(highestPerSecond * load, secondMs);
    p50Ms.push(quantile(found, 0.5));
    p99Ms.push(quantile(found, 0.99));
  }
  return { firstChunkMs, highestPerSecond, p50Ms, p99Ms };
}

const longestMs = 15_000;
const firstError = new Promise<undefined>((resolve) => {
  process.on("uncaughtException", () => resolve(undefined));
  process.on("unhandledRejection", () => resolve(undefined));
  setTimeout(() => resolve(undefined), longestMs);
});

async function measureCosts(): Promise<LatencyRound["costs"]> {
  await bestOf(3, () => timeMs(10_000, stepsOf(stages)));
  const bytes = await bytesPerChunk();
  const nsPerStage: number[] = [];
  for (const stageCount of stageCounts) {
    const chunks = Math.max(100, Math.min(20_000, 200_000 / stageCount));
    const measured = bestOf(3, () => timeMs(chunks, stepsOf(stageCount))).catch(() => undefined);
    // Some overflow the stack, with an error that nothing catches or with none.
    const best = await Promise.race([measured, firstError]);
    if (best === undefined) break;
    nsPerStage.push(best * 1e6 / chunks / stageCount);
  }
  return { nsPerStage, ...(bytes === undefined ? {} : { bytesPerChunk: bytes }) };
}

console.log(JSON.stringify(await (what === "waits" ? measureWaits() : measureCosts())));
process.exit();
