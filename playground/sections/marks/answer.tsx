import { formatChunks } from "../../words/format.ts";
import type { Outcome } from "./outcome.ts";

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
export function Answer({ outcome, guess, marks }: AnswerOptions) {
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
