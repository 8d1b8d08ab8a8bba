import { nextTurn } from "./activity.ts";
import type { LawProgram } from "./law_program.ts";
import { runStage } from "./law_subject.ts";
import type { CheckedStage } from "./law_types.ts";

/** What programs are run with. */
export interface LawSubject {
  readonly make: (context: { readonly signal: AbortSignal }) => CheckedStage;
  readonly makeFailing: ((reason: unknown) => CheckedStage) | undefined;
  readonly chunks: () => readonly unknown[];
  readonly io: boolean;
}

/** Starts another run of a stage of its own, which stands still after the same chunks. */
export function startOther(
  subject: LawSubject,
  { way, give }: LawProgram,
): { stop(): Promise<void> } {
  const controller = new AbortController();
  const { signal } = controller;
  const chunks = subject.chunks().slice(0, give);
  const source = new ReadableStream<unknown>({
    pull(controller) {
      if (chunks.length === 0) return new Promise(() => {});
      controller.enqueue(chunks.shift());
    },
  }, { highWaterMark: 0 });
  const work = runStage(way, source, subject.make({ signal }), new WritableStream(), signal)
    .catch(() => {});
  return {
    async stop() {
      controller.abort(new Error("the other run is over"));
      await Promise.race([work, nextTurn()]);
    },
  };
}
