/// <reference lib="dom" />
import { pipeline } from "@hosepipe/streams";
import { signal } from "@preact/signals";
import { inWorkers } from "../../../src/workers/mod.ts";
import { type MeasuredBar, Measurement, type MeasureState } from "../../controls/measurement.tsx";
import { Section } from "../../controls/section.tsx";
import { formatCount } from "../../words/format.ts";
import { addTotals, makeTexts } from "../../worker/measure.ts";
import { openWorker } from "../../worker/messages.ts";

/** How long a number of threads took. */
interface ThreadsTime {
  readonly threads: number;
  /** The best of the rounds. */
  readonly elapsedMs: number;
  /** Blocks of chunks that the threads had, and how long they worked, all together. */
  readonly blocks: number;
  readonly busyMs: number;
}

const chunkCount = 400;
const rounds = 3;

/** Runs the same chunks in one thread and in more, one number after the other; calls back with each as it is known. */
async function raceThreads(
  counts: readonly number[],
  signal: AbortSignal,
  onTime: (time: ThreadsTime) => void,
): Promise<void> {
  const texts = makeTexts(chunkCount);
  let expected = 0;
  for (const text of texts) expected += addTotals(text);
  for (const threads of counts) {
    const workers: Worker[] = [];
    const stage = inWorkers(() => {
      const worker = openWorker("self.threadOfStages = true;");
      workers.push(worker);
      return worker;
    }, { threads });
    let best: ThreadsTime | undefined;
    try {
      // The first round starts the threads.
      for (let round = 0; round <= rounds; round++) {
        let sum = 0;
        const add = (total: unknown) => void (sum += total as number);
        const result = await pipeline(texts, stage, add, { signal });
        if (sum !== expected) throw new Error(`${threads} threads came to ${sum}, not ${expected}`);
        const { elapsedMs, threads: counts } = result;
        if (round > 0 && elapsedMs < (best?.elapsedMs ?? Infinity)) {
          best = { threads, elapsedMs, blocks: counts!.blocks, busyMs: counts!.busyMs };
        }
      }
    } finally {
      for (const worker of workers) worker.terminate();
    }
    onTime(best!);
  }
}

const state = signal<MeasureState>("idle");
const times = signal<readonly ThreadsTime[]>([]);
let running: AbortController | undefined;

const counts = [1, 2, 4];
const cores = (): number => globalThis.navigator?.hardwareConcurrency ?? 1;

function stop(): void {
  running?.abort();
  running = undefined;
  if (state.value === "measuring") state.value = "idle";
}

async function start(): Promise<void> {
  stop();
  times.value = [];
  state.value = "measuring";
  const own = running = new AbortController();
  try {
    await raceThreads(counts, own.signal, (time) => times.value = [...times.value, time]);
    state.value = "done";
  } catch (error) {
    if (!own.signal.aborted) state.value = { failed: String(error) };
  }
}

function toBar(threads: number): MeasuredBar {
  const [one] = times.value;
  const time = times.value.find((one) => one.threads === threads);
  const gain = time === undefined || time === one
    ? ""
    : `${(one!.elapsedMs / time.elapsedMs).toFixed(1)} times one thread`;
  return {
    name: threads === 1 ? "one thread" : `${threads} threads`,
    value: time?.elapsedMs,
    figure: time === undefined ? "" : `${Math.round(time.elapsedMs)} ms`,
    ratio: time === undefined
      ? ""
      : `${gain} ${formatCount(time.blocks)} blocks, ${Math.round(time.busyMs)} ms of work`,
    data: { "data-threads": threads, "data-ms": time?.elapsedMs },
  };
}

/** 8: what more cores gain, measured where the page runs. */
export function Threads() {
  return (
    <Section
      id="threads"
      title="One core against four"
      about={
        <>
          80,000 lines of JSON are parsed by a stage in threads: <code>inWorkers</code>{" "}
          cuts the chunks into blocks of half a millisecond of work, and what comes back keeps its
          order. The page stays free meanwhile. This machine has {cores()}{" "}
          {cores() === 1 ? "core" : "cores"}: more threads than that gain nothing.
        </>
      }
    >
      <Measurement
        state={state.value}
        bars={counts.map(toBar)}
        onStart={() => void start()}
        onStop={stop}
      />
      <p class="aside">The best of three rounds; starting the threads is left out.</p>
    </Section>
  );
}
