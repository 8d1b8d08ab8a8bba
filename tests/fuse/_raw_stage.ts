import type { StageDescription } from "./_chain_description.ts";
import { jitter, type Recorder, text } from "./_recorder.ts";

type Controller = TransformStreamDefaultController<unknown>;
type Stage = Transformer<unknown, unknown>;

/** A transformer as a user writes it by hand: it keeps something in `this`, and fails in every way there is. */
export function rawStage(description: StageDescription, index: number, recorder: Recorder): Stage {
  const { timing, delay, size, shape, failure } = description;
  let isRunning = false;
  const failWith = (controller: Controller) => {
    const { how, kind } = failure!;
    if (how === "terminate") return controller.terminate();
    const reason = recorder.reason(`transform ${index}`, kind);
    if (how === "throw") throw reason;
    controller.error(reason);
  };
  function* steps(chunk: unknown, call: number, controller: Controller): Generator<void> {
    const failAfter = failure?.at === call ? Math.min(failure.after, size) : -1;
    for (let i = 0; i < size; i++) {
      if (i === failAfter) return failWith(controller);
      controller.enqueue(size === 1 ? chunk : `${text(chunk)}.${i}`);
      yield;
    }
    if (failAfter === size) failWith(controller);
  }
  const stage = {
    calls: 0,
    transform(this: { calls: number }, chunk: unknown, controller: Controller) {
      const call = this.calls++;
      recorder.log(index, `transform ${text(chunk)}`);
      if (isRunning) recorder.faults.push(`stage ${index} runs twice at once`);
      const steps_ = steps(chunk, call, controller);
      if (timing === "sync" || (timing === "mixed" && call % 2 === 0)) {
        for (const _ of steps_);
        return;
      }
      isRunning = true;
      return (async () => {
        try {
          if (shape !== 1) await jitter(delay);
          for (const _ of steps_) if (shape === 2) await jitter(delay);
          if (shape === 1) await jitter(delay);
        } finally {
          recorder.touch();
          isRunning = false;
        }
      })();
    },
  };
  return stage as Stage;
}
