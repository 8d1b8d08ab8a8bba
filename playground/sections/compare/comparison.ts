import { GateClock } from "../../gated/gate_clock.ts";
import { NativePipeline } from "../../gated/native_pipeline.ts";
import type { Measured } from "./metrics.ts";
import type { Question } from "./questions.ts";

/** What may be predicted: one of the settings, or neither. */
export type Choice = "A" | "B" | "same";

/** What came of both runs. */
export interface Verdict {
  readonly answer: Choice;
  readonly a: Measured;
  readonly b: Measured;
}

/** Both are over once so many chunks have been written. */
const lastWritten = 6;

/** One pipeline with two settings, on one clock. */
export class Comparison {
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
