/// <reference lib="dom" />
import { pipeline } from "@hosepipe/streams";
import { createMeasuring, type MeasuredBar, Measurement } from "../../controls/measurement.tsx";
import { Section } from "../../controls/section.tsx";
import { formatCount } from "../../words/format.ts";
import { addTotals, makeTexts } from "../../worker/measure.ts";
import { withThreads } from "../../worker/messages.ts";

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

const counts = [1, 2, 4];
const cores = (): number => globalThis.navigator?.hardwareConcurrency ?? 1;

/** The same chunks in one thread and in more, one number after the other. */
const measuring = createMeasuring<ThreadsTime>(async (signal, onTime) => {
  const texts = makeTexts(chunkCount);
  const expected = texts.reduce((sum, text) => sum + addTotals(text), 0);
  for (const threads of counts) {
    let best: ThreadsTime | undefined;
    await withThreads("addTotals", { threads }, async (stage) => {
      // The first round starts the threads.
      for (let round = 0; round <= rounds; round++) {
        let sum = 0;
        const add = (total: unknown) => void (sum += total as number);
        const { elapsedMs, threads: used } = await pipeline(texts, stage, add, { signal });
        if (sum !== expected) throw new Error(`${threads} threads came to ${sum}, not ${expected}`);
        if (round > 0 && elapsedMs < (best?.elapsedMs ?? Infinity)) {
          best = { threads, elapsedMs, blocks: used!.blocks, busyMs: used!.busyMs };
        }
      }
    });
    onTime(best!);
  }
});

function toBar(threads: number): MeasuredBar {
  const [one] = measuring.results.value;
  const time = measuring.results.value.find((one) => one.threads === threads);
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
        measuring={measuring}
        bars={counts.map(toBar)}
      />
      <p class="aside">The best of three rounds; starting the threads is left out.</p>
    </Section>
  );
}
