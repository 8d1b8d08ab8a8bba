/// <reference lib="dom" />
import { effect, type Signal, signal, untracked } from "@preact/signals";
import { Playback } from "../../controls/playback.tsx";
import { Section } from "../../controls/section.tsx";
import type { NativePipeline } from "../../gated/native_pipeline.ts";
import { Player } from "../../gated/player.ts";
import { Hose } from "../../hose/hose.tsx";
import { type Choice, Comparison, type Verdict } from "./comparison.ts";
import { type Question, questions } from "./questions.ts";
import { VerdictText } from "./verdict.tsx";

const comparison: Signal<Comparison> = signal(new Comparison(questions[0]!));
const player = new Player(() => comparison.value.clock);
const guess: Signal<Choice | undefined> = signal();
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

const choices: readonly (readonly [Choice, string])[] = [
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
      number={4}
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
      <div class="choice">
        <label for="compare-question">Question</label>
        <select
          id="compare-question"
          value={question.id}
          onChange={(event) => {
            const { value: id } = event.currentTarget;
            guess.value = undefined;
            open(questions.find((one) => one.id === id)!);
          }}
        >
          {questions.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
        </select>
      </div>
      <p class="aside">{question.about}</p>
      <form
        class="guess"
        onSubmit={(event) => {
          event.preventDefault();
          if (isBegun.value) open(question);
          isBegun.value = true;
          player.play();
        }}
      >
        <fieldset>
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
