import { because } from "./because.ts";
import type { Choice, Comparison, Verdict } from "./comparison.ts";

interface VerdictOptions {
  readonly comparison: Comparison;
  readonly verdict: Verdict | undefined;
  readonly guess: Choice | undefined;
}

const words: Readonly<Record<Choice, string>> = { A: "A", B: "B", same: "both the same" };

/** What came of both, and by which events if the guess was another. */
export function VerdictText({ comparison, verdict, guess }: VerdictOptions) {
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
