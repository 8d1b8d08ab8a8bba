/// <reference lib="dom" />
import type { ProbeEvent } from "@hosepipe/streams/inspect";
import { effect, type Signal, signal, untracked } from "@preact/signals";
import { Choice, Section } from "../../controls/section.tsx";
import { Playback } from "../../controls/playback.tsx";
import { GateClock } from "../../gated/gate_clock.ts";
import { type NativeOptions, NativePipeline, type Paces } from "../../gated/native_pipeline.ts";
import { Player } from "../../gated/player.ts";
import { Hose } from "../../hose/hose.tsx";
import { type BufferKind, bufferKinds } from "../../hose/hose_view.ts";
import { bufferNames, describeEvent, formatChunks, formatSeconds } from "../../words/format.ts";

/** What a run gives a question, and the event that made it so. */
interface Measured {
  readonly value: number;
  readonly event: ProbeEvent | undefined;
}

/** What is compared. */
interface Metric {
  measure(events: readonly ProbeEvent[]): Measured;
  /** Whether less of it wins. */
  readonly isLessBetter: boolean;
  describe(value: number): string;
}

/** When a chunk had been written. */
function writtenAt(count: number): Metric {
  return {
    measure(events) {
      const event = events.filter(({ event }) => event === "written")[count - 1];
      return { value: event?.timeMs ?? Infinity, event };
    },
    isLessBetter: true,
    describe: (value) => `${count} are written at ${formatSeconds(value)}`,
  };
}

/** How many chunks were read before the first had been written. */
const readBeforeFirstWritten: Metric = {
  measure(events) {
    const written = events.findIndex(({ event }) => event === "written");
    const reads = events.slice(0, written < 0 ? events.length : written)
      .filter(({ event }) => event === "read");
    return { value: reads.length, event: reads.at(-1) };
  },
  isLessBetter: false,
  describe: (value) => `${formatChunks(value)} read before the first is written`,
};

/** Chunks in a buffer at an event; one that is being worked on keeps its place. */
function countIn(kind: BufferKind, { occupancy }: ProbeEvent): number {
  const held = kind === "transformerIn"
    ? occupancy.transforming
    : kind === "writerIn"
    ? occupancy.writing
    : 0;
  return occupancy[kind] + held;
}

/** The most chunks that a buffer held at a time. */
function mostIn(kind: BufferKind): Metric {
  return {
    measure(events) {
      const value = Math.max(0, ...events.map((event) => countIn(kind, event)));
      return { value, event: events.find((event) => countIn(kind, event) === value) };
    },
    isLessBetter: false,
    describe: (value) => `${bufferNames[kind]} holds up to ${formatChunks(value)}`,
  };
}

/** One of the two settings of a question. */
interface Setting {
  /** How it differs from the other. */
  readonly name: string;
  readonly marks: Readonly<Record<BufferKind, number>>;
}

/** A pipeline with two settings, and what to predict of it. */
interface Question {
  readonly id: string;
  readonly name: string;
  /** What both have in common. */
  readonly about: string;
  readonly ask: string;
  readonly settings: readonly [a: Setting, b: Setting];
  readonly paces: Readonly<Record<keyof Paces, number>>;
  readonly options?: Pick<NativeOptions, "batchSize" | "size">;
  readonly metric: Metric;
  /** What to take from it, whatever was guessed. */
  readonly rule: string;
}

const ones = { readerOut: 1, transformerIn: 1, transformerOut: 1, writerIn: 1 };
const fours = { readerOut: 4, transformerIn: 4, transformerOut: 4, writerIn: 4 };

/** What the section asks, the easiest first. */
const questions: readonly Question[] = [
  {
    id: "speed",
    name: "A slow writer, and larger buffers",
    about: "A read takes 100 ms, a transform 100 ms, a write 400 ms.",
    ask: "Which one writes its sixth chunk first?",
    settings: [
      { name: "every buffer has a highWaterMark of 1", marks: ones },
      { name: "every buffer has a highWaterMark of 4", marks: fours },
    ],
    paces: { reader: 100, transformer: 100, writer: 400 },
    metric: writtenAt(6),
    rule: "A buffer does not make the slowest stage faster: it only fills.",
  },
  {
    id: "ahead",
    name: "Reading ahead",
    about: "A read takes 100 ms, a transform 100 ms, a write 2,000 ms.",
    ask: "Which one has read more chunks when its first write ends?",
    settings: [
      { name: "writer in has a highWaterMark of 1", marks: ones },
      { name: "writer in has a highWaterMark of 4", marks: { ...ones, writerIn: 4 } },
    ],
    paces: { reader: 100, transformer: 100, writer: 2000 },
    metric: readBeforeFirstWritten,
    rule:
      "The highWaterMarks of all buffers add up to how much is read ahead of the slowest stage.",
  },
  {
    id: "batches",
    name: "Batches",
    about: "A read brings 5 chunks and takes 100 ms, a transform 100 ms, a write 400 ms.",
    ask: "In which one does the reader's buffer hold more chunks at a time?",
    settings: [
      { name: "reader out has a highWaterMark of 1", marks: { ...ones } },
      { name: "reader out has a highWaterMark of 4", marks: { ...ones, readerOut: 4 } },
    ],
    paces: { reader: 100, transformer: 100, writer: 400 },
    options: { batchSize: 5 },
    metric: mostIn("readerOut"),
    rule: "A highWaterMark is a threshold: one chunk below it, the stream asks for a whole batch.",
  },
  {
    id: "bytes",
    name: "Sizes in bytes",
    about:
      "Every third chunk has 4 KiB, the others 1 KiB; size counts KiB. A write takes 2,000 ms.",
    ask: "In which one does the reader's buffer hold more chunks at a time?",
    settings: [
      { name: "reader out has a highWaterMark of 2 KiB", marks: { ...ones, readerOut: 2 } },
      { name: "reader out has a highWaterMark of 6 KiB", marks: { ...ones, readerOut: 6 } },
    ],
    paces: { reader: 100, transformer: 100, writer: 2000 },
    options: { size: (chunk) => chunk % 3 === 0 ? 4 : 1 },
    metric: mostIn("readerOut"),
    rule: "With a size, room is counted in its unit: one large chunk may take it all.",
  },
  {
    id: "transformer",
    name: "A slow transformer",
    about: "A read takes 100 ms, a transform 400 ms, a write 100 ms.",
    ask: "In which one does the writer's buffer hold more chunks at a time?",
    settings: [
      { name: "writer in has a highWaterMark of 1", marks: ones },
      { name: "writer in has a highWaterMark of 4", marks: { ...ones, writerIn: 4 } },
    ],
    paces: { reader: 100, transformer: 400, writer: 100 },
    metric: mostIn("writerIn"),
    rule: "Buffers fill before the slowest stage; after it they stay almost empty.",
  },
];

/** What may be predicted: one of the settings, or neither. */
type Prediction = "A" | "B" | "same";

/** What came of both runs. */
interface Verdict {
  readonly answer: Prediction;
  readonly a: Measured;
  readonly b: Measured;
}

/** Both are over once so many chunks have been written. */
const lastWritten = 6;

/** One pipeline with two settings, on one clock. */
class Comparison {
  readonly clock: GateClock = new GateClock();
  readonly question: Question;
  readonly a: NativePipeline;
  readonly b: NativePipeline;

  constructor(question: Question) {
    this.question = question;
    const { paces, options } = question;
    const [a, b] = question.settings.map(({ marks }, index) =>
      new NativePipeline(marks, {
        reader: () => paces.reader,
        transformer: () => paces.transformer,
        writer: () => paces.writer,
      }, { ...options, clock: this.clock, side: "AB"[index]! })
    );
    this.a = a!;
    this.b = b!;
  }

  isOver(): boolean {
    return [this.a, this.b].every(({ recorded }) =>
      recorded.look.occupancy().written >= lastWritten
    );
  }

  verdict(): Verdict {
    const { metric } = this.question;
    const [a, b] = [this.a, this.b].map(({ recorded }) => metric.measure(recorded.events()));
    const isA = metric.isLessBetter ? a!.value < b!.value : a!.value > b!.value;
    return { a: a!, b: b!, answer: a!.value === b!.value ? "same" : isA ? "A" : "B" };
  }

  /** Shows each as it was at the event that made its figure so. */
  goBack({ a, b }: Verdict): void {
    for (const [{ recorded }, { event }] of [[this.a, a], [this.b, b]] as const) {
      if (event === undefined) continue;
      recorded.goBack(recorded.events().findIndex(({ seq }) => seq === event.seq));
    }
  }

  /** Shows the present again. */
  goOn(): void {
    for (const { recorded } of [this.a, this.b]) recorded.goOn();
  }

  stop(): void {
    this.a.stop();
    this.b.stop();
  }
}

/** How many events lead up to the one that counts. */
const shown = 4;

/** Events that move chunks or demand, which explain how full a buffer is. */
const telling: ReadonlySet<ProbeEvent["event"]> = new Set([
  "read",
  "transform",
  "write",
  "written",
  "backpressure",
  "drain",
]);

/** The event that made a figure so, with those that led up to it, and what the buffers held then. */
function because(events: readonly ProbeEvent[], last: ProbeEvent | undefined): string[] {
  if (last === undefined) return ["No such event happened."];
  const before = events.filter(({ seq, event }) => seq <= last.seq && telling.has(event))
    .slice(-shown);
  return before.map((event) => {
    const held = bufferKinds.map((kind) => countIn(kind, event));
    return `${describeEvent(event)}; the four buffers hold ${held.join(", ")}`;
  });
}

interface VerdictOptions {
  readonly comparison: Comparison;
  readonly verdict: Verdict | undefined;
  readonly guess: Prediction | undefined;
}

const words: Readonly<Record<Prediction, string>> = { A: "A", B: "B", same: "both the same" };

/** What came of both, and by which events if the guess was another. */
function VerdictText({ comparison, verdict, guess }: VerdictOptions) {
  const { question } = comparison;
  return (
    <div
      class="answer"
      aria-live="polite"
      data-answer={verdict?.answer}
      data-a={verdict?.a.value}
      data-b={verdict?.b.value}
    >
      {verdict !== undefined && (
        <p class={`now ${guess === verdict.answer ? "right" : ""}`}>
          <strong>{verdict.answer === "same" ? "Both the same." : `${verdict.answer}.`}</strong>
          {" "}
          {guess === undefined
            ? ""
            : guess === verdict.answer
            ? "You said so. "
            : `You said ${words[guess]}. `}
          A: {question.metric.describe(verdict.a.value)}. B:{" "}
          {question.metric.describe(verdict.b.value)}. {question.rule}
        </p>
      )}
      {verdict !== undefined && (
        <div class="sides" data-because={guess !== verdict.answer}>
          {([["A", comparison.a, verdict.a], ["B", comparison.b, verdict.b]] as const).map((
            [name, pipeline, measured],
          ) => (
            <div class="side" key={name}>
              <h3>
                {guess === verdict.answer ? `${name}, by its events` : `Why: ${name}'s events`}
              </h3>
              <ol class="because">
                {because(pipeline.recorded.events(), measured.event).map((line) => (
                  <li key={line}>{line}</li>
                ))}
              </ol>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

const comparison: Signal<Comparison> = signal(new Comparison(questions[0]!));
const player = new Player(() => comparison.value.clock);
const guess: Signal<Prediction | undefined> = signal();
const verdict: Signal<Verdict | undefined> = signal();
const isBegun = signal(false);

function open(question: Question): void {
  comparison.value.stop();
  player.pause();
  verdict.value = undefined;
  isBegun.value = false;
  comparison.value = new Comparison(question);
}

// Both are judged at the same moment of the one clock.
effect(() => {
  if (player.moves.value > 0) untracked(judge);
});

/** Once both are over, says what came of them, and shows each at the event that decided. */
function judge(): void {
  const both = comparison.value;
  if (verdict.value !== undefined || !both.isOver()) return;
  player.pause();
  verdict.value = both.verdict();
  both.goBack(verdict.value);
}

const choices: readonly (readonly [Prediction, string])[] = [
  ["A", "A"],
  ["B", "B"],
  ["same", "both the same"],
];

function SettingSide({ name, about, run }: {
  readonly name: string;
  readonly about: string;
  readonly run: NativePipeline;
}) {
  // Drawn again at each move.
  void player.moves.value;
  return (
    <div class="side" data-setting={name}>
      <h3>{name}: {about}</h3>
      <Hose view={run.view()} progress={run.progress()} slots={8} />
    </div>
  );
}

/** 4: one pipeline with two settings; predict, then run. */
export function Compare() {
  const { value } = comparison;
  void player.moves.value;
  const { question, a, b } = value;
  const [settingA, settingB] = question.settings;
  return (
    <Section
      id="compare"
      title="Two settings, one clock"
      about={
        <>
          The same pipeline twice, with another{" "}
          <code>highWaterMark</code>. Predict the answer, then run both on the same clock. The
          events of the two runs show why.
        </>
      }
      onSeen={(isSeen) => player.isSeen = isSeen}
    >
      <Choice
        id="compare-question"
        label="Question"
        value={question.id}
        choices={questions.map(({ id, name }) => [id, name])}
        onChange={(id) => {
          guess.value = undefined;
          open(questions.find((one) => one.id === id)!);
        }}
      />
      <p class="aside">{question.about}</p>
      <form
        class="guess row"
        onSubmit={(event) => {
          event.preventDefault();
          if (isBegun.value) open(question);
          isBegun.value = true;
          player.play();
        }}
      >
        <fieldset class="row">
          <legend>{question.ask}</legend>
          {choices.map(([choice, label]) => (
            <label key={choice}>
              <input
                type="radio"
                name="compare-guess"
                value={choice}
                required
                checked={guess.value === choice}
                onChange={() => guess.value = choice}
              />
              {label}
            </label>
          ))}
        </fieldset>
        <button type="submit" class="primary" data-do="run">Run both</button>
        {isBegun.value && verdict.value === undefined && (
          <button
            type="button"
            data-do="finish"
            onClick={() => void player.finish(() => comparison.value.isOver())}
          >
            At once
          </button>
        )}
      </form>
      <div class="sides">
        <SettingSide name="A" about={settingA.name} run={a} />
        <SettingSide name="B" about={settingB.name} run={b} />
      </div>
      <VerdictText comparison={value} verdict={verdict.value} guess={guess.value} />
      {isBegun.value && (
        <Playback
          player={player}
          onGoOn={() => value.goOn()}
          onRestart={() => {
            open(question);
            isBegun.value = true;
            player.play();
          }}
        />
      )}
    </Section>
  );
}
