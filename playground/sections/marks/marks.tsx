/// <reference lib="dom" />
import type { ProbeEvent } from "@hosepipe/streams/inspect";
import { effect, type Signal, signal } from "@preact/signals";
import { Playback } from "../../controls/playback.tsx";
import { RunLog, Section, Slider } from "../../controls/section.tsx";
import { NativePipeline } from "../../gated/native_pipeline.ts";
import { Player } from "../../gated/player.ts";
import { Hose } from "../../hose/hose.tsx";
import { bufferKinds } from "../../hose/hose_view.ts";
import { bufferNames, formatChunks } from "../../words/format.ts";

/** What came of a run. */
interface Outcome {
  /** How many chunks were read before the first had been written. */
  readonly read: number;
  /** The event before the first chunk was written; `undefined` if none ever will be. */
  readonly atIndex: number | undefined;
}

/** Counts what was read before the first chunk was written; `undefined` while that is open. */
function outcomeOf(
  events: readonly ProbeEvent[],
  isStill: boolean,
): Outcome | undefined {
  const written = events.findIndex(({ event }) => event === "written");
  if (written < 0 && !isStill) return undefined;
  const before = written < 0 ? events : events.slice(0, written);
  const read = before.filter(({ event }) => event === "read").length;
  return { read, atIndex: written < 0 ? undefined : Math.max(0, written - 1) };
}

interface AnswerOptions {
  readonly outcome: Outcome | undefined;
  readonly guess: number | undefined;
  readonly marks: Readonly<Record<string, number>>;
}

function explain({ read, atIndex }: Outcome, marks: readonly number[]): string {
  const sum = marks.reduce((total, mark) => total + mark, 0);
  const terms = `${marks.join(" + ")} = ${sum}`;
  if (atIndex === undefined) {
    return "Nothing was written, and nothing ever will be: a writable side with a highWaterMark of 0 never has room, so the pipe never writes to it.";
  }
  if (read === sum) {
    return `${terms}: every buffer fills up to its highWaterMark. A chunk keeps its place until it is written.`;
  }
  return `The highWaterMarks add up to ${terms}.`;
}

/** What came of the run, beside the guess. */
function Answer({ outcome, guess, marks }: AnswerOptions) {
  return (
    <div class="answer" aria-live="polite" data-read={outcome?.read}>
      {outcome !== undefined && (
        <p class={`now ${guess === outcome.read ? "right" : ""}`}>
          <strong>
            {formatChunks(outcome.read)} {outcome.read === 1 ? "was" : "were"} read.
          </strong>{" "}
          {guess === undefined
            ? ""
            : guess === outcome.read
            ? "You said so. "
            : `You said ${guess}. `}
          {explain(outcome, Object.values(marks))}
        </p>
      )}
    </div>
  );
}

const marks = signal({ readerOut: 2, transformerIn: 1, transformerOut: 0, writerIn: 3 });
const guess: Signal<number | undefined> = signal();
const outcome: Signal<Outcome | undefined> = signal();
/** Whether it has been begun with these marks. */
const isBegun = signal(false);

const start = () =>
  new NativePipeline(marks.value, {
    reader: () => 80,
    transformer: () => 100,
    // Longer than it takes to fill all that can be filled.
    writer: () => 8000,
  });
const pipeline = signal(start());
const player = new Player(() => pipeline.value.clock);

function restart(): void {
  pipeline.value.stop();
  outcome.value = undefined;
  isBegun.value = false;
  player.pause();
  pipeline.value = start();
}

// It ends with the first chunk that is written, or when nothing will ever happen.
effect(() => {
  if (player.moves.value === 0 || outcome.peek() !== undefined) return;
  const { recorded, clock } = pipeline.peek();
  const found = outcomeOf(recorded.look.events(), clock.calls.length === 0);
  if (found === undefined) return;
  player.pause();
  outcome.value = found;
  if (found.atIndex !== undefined) recorded.goBack(found.atIndex);
});

const isOver = () => pipeline.value.recorded.look.occupancy().written > 0;

/** 3: guess first, then look. */
export function MarksSection() {
  const { value } = pipeline;
  void player.moves.value;
  const { recorded } = value;
  return (
    <Section
      id="marks"
      title="How much is read ahead?"
      about={
        <>
          Every buffer has a{" "}
          <code>highWaterMark</code>, the threshold at which it stops asking for more. Set the four,
          and guess: <strong>how many chunks are read before the first is written?</strong>
        </>
      }
      onSeen={(isSeen) => player.isSeen = isSeen}
    >
      <div class="sliders">
        {bufferKinds.map((kind) => (
          <Slider
            key={kind}
            label={bufferNames[kind]}
            value={marks.value[kind]}
            minimum={0}
            maximum={8}
            text={String(marks.value[kind])}
            onChange={(mark) => {
              marks.value = { ...marks.value, [kind]: mark };
              restart();
            }}
          />
        ))}
      </div>
      <form
        class="guess row"
        onSubmit={(event) => {
          event.preventDefault();
          if (outcome.value !== undefined) restart();
          isBegun.value = true;
          player.play();
        }}
      >
        <label for="guess">Your guess</label>
        <input
          id="guess"
          type="number"
          min={0}
          max={99}
          required
          value={guess.value ?? ""}
          onInput={(event) => {
            const { value, valueAsNumber } = event.currentTarget;
            guess.value = value === "" ? undefined : valueAsNumber;
          }}
        />
        <button type="submit" class="primary" data-do="run">Show me</button>
        {isBegun.value && outcome.value === undefined && (
          <button
            type="button"
            data-do="finish"
            onClick={() => void player.finish(isOver)}
          >
            At once
          </button>
        )}
      </form>
      <Hose view={value.view()} progress={value.progress()} />
      <Answer outcome={outcome.value} guess={guess.value} marks={marks.value} />
      {isBegun.value && <Playback {...{ player, recorded }} onRestart={restart} />}
      {isBegun.value && <RunLog {...{ player, recorded }} />}
    </Section>
  );
}
