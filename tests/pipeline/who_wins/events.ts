import { parallel } from "@hosepipe/streams";
import type { Scene } from "./scene.ts";

/** How something fails first, by the first column of the table. */
export const firsts: Record<string, (scene: Scene) => void> = {
  "the source": (scene) => scene.failSource(scene.first),
  "a stage": (scene) => scene.middle.error(scene.first),
  "the sink": (scene) => scene.failSink(scene.first),
  "the signal aborts": (scene) => scene.abort.abort(scene.first),
  "none: a stage ends early": (scene) => scene.middle.terminate(),
  "none: the source ends": (scene) => scene.endSource(),
};

/** How something fails afterwards, by the second column: how a scene is prepared, and what happens then. */
export const seconds: Record<
  string,
  { prepare: (scene: Scene) => void; afterwards?: (scene: Scene) => void }
> = {
  "the `cancel` of a stage before it": { prepare: (scene) => scene.cancelThrows("earlier") },
  "the `cancel` of a stage after it": { prepare: (scene) => scene.cancelThrows("later") },
  "the source's `cancel`": { prepare: (scene) => void (scene.throws.sourceCancel = true) },
  "the sink's `abort`": { prepare: (scene) => void (scene.throws.sinkAbort = true) },
  "the sink's `close`": { prepare: (scene) => void (scene.throws.sinkClose = true) },
  "a stage before it, under way": {
    prepare: (scene) => scene.holdIn("earlier"),
    afterwards: ({ held, second }) => held!.reject(second),
  },
  "a stage after it, under way": {
    prepare: (scene) => scene.holdIn("later"),
    afterwards: ({ held, second }) => held!.reject(second),
  },
  "a call of `parallel` after it, under way": {
    prepare(scene) {
      scene.holdIn("later");
      const { promise } = scene.held!;
      scene.stages.later = parallel(() => promise, { concurrency: 2 });
    },
    afterwards: ({ held, second }) => held!.reject(second),
  },
  "a write under way": {
    prepare: (scene) => scene.holdWrite(),
    afterwards: ({ heldWrite, second }) => heldWrite!.reject(second),
  },
  "a write later on": {
    prepare(scene) {
      scene.holdWrite();
      scene.failsLater = true;
      scene.stages.later = {
        transform(chunk, controller) {
          controller.enqueue(chunk);
          controller.enqueue(chunk);
        },
      };
    },
    afterwards: ({ heldWrite }) => heldWrite!.resolve(),
  },
};
