import { methodOptions, Scene, stagesOf } from "./scene.ts";
import type { Schedule } from "./schedule.ts";

/** Streams of one implementation, and how a source is run through stages into a sink. */
export interface Piping {
  readonly ReadableStream: typeof ReadableStream;
  readonly WritableStream: typeof WritableStream;
  pipe(
    source: ReadableStream<unknown>,
    transformers: readonly Transformer<unknown, unknown>[],
    sink: WritableStream<unknown>,
    signal: AbortSignal,
  ): Promise<unknown>;
}

function ignore(): void {}

/** Runs a schedule from a source through stages into a sink. */
export async function runPipeline(schedule: Schedule, piping: Piping): Promise<Scene> {
  // A run of ours may take a turn of the event loop, and a second one after that.
  const scene = new Scene(schedule.deviations, 3);
  const isPull = schedule.plain === "pull";
  const aborter = new AbortController();
  let given = 0;
  let pulls = 0;
  let writes = 0;
  let sourceController!: ReadableStreamDefaultController<unknown>;
  let sinkController!: WritableStreamDefaultController;
  const give = () => {
    if (given < schedule.chunks) sourceController.enqueue(`c${given++}`);
    else sourceController.close();
  };
  const source = new piping.ReadableStream<unknown>({
    start: (controller) => void (sourceController = controller),
    ...(isPull
      ? {
        pull(controller) {
          scene.say(`source: pull ${pulls}`);
          const at = `pull ${pulls++}`;
          return scene.act(at, methodOptions.end, controller, give) as void;
        },
      }
      : {}),
    cancel(reason) {
      scene.say(`source: cancel ${scene.show(reason)}`);
      return scene.act("cancel source", methodOptions.cleanUp, undefined, ignore) as void;
    },
  }, { highWaterMark: schedule.firstMark });
  const sink = new piping.WritableStream<unknown>({
    start: (controller) => void (sinkController = controller),
    write(chunk, controller) {
      scene.say(`sink: write ${chunk}`);
      return scene.act(`write ${writes++}`, methodOptions.end, controller, ignore) as void;
    },
    close() {
      scene.say("sink: close");
      return scene.act("close sink", methodOptions.end, sinkController, ignore) as void;
    },
    abort(reason) {
      scene.say(`sink: abort ${scene.show(reason)}`);
      return scene.act("abort sink", methodOptions.cleanUp, undefined, ignore) as void;
    },
  }, { highWaterMark: schedule.lastMark });

  const steps = ["signal", "error source", "error sink", ...(isPull ? [] : ["close source"])];
  let count = 0;
  const perform = (step: string) => {
    const name = `${step} ${count++}`;
    try {
      if (step === "pipe") {
        const stages = stagesOf(scene, schedule.stages);
        scene.watch("pipe", piping.pipe(source, stages, sink, aborter.signal));
      } else if (step === "give") give();
      else if (step === "close source") sourceController.close();
      else if (step === "signal") aborter.abort(scene.reason(name));
      else if (step === "error source") sourceController.error(scene.reason(name));
      else if (step === "error sink") sinkController.error(scene.reason(name));
    } catch (reason) {
      scene.say(`${name} # ${scene.show(reason)}`);
    }
  };
  const plain = [
    "pipe",
    ...(isPull ? ["wait", "wait"] : Array.from({ length: schedule.chunks + 1 }, () => "give")),
  ];
  for (let index = 0; index <= plain.length; index++) {
    for (const isOwnTurn of [true, false]) {
      if (!isOwnTurn) {
        if (index === plain.length) break;
        perform(plain[index]!);
      }
      for (;;) {
        const step = scene.chooseStep(steps);
        if (step === undefined) break;
        perform(step);
        if (isOwnTurn) await endTurn();
      }
    }
    if (index < plain.length) await scene.endTurn();
  }
  async function endTurn() {
    for (;;) {
      const step = scene.chooseStep(steps);
      if (step === undefined) break;
      perform(step);
    }
    await scene.endTurn();
  }
  await scene.end();
  scene.say(`source: ${source.locked ? "locked" : "free"}`);
  scene.say(`sink: ${sink.locked ? "locked" : "free"}`);
  return scene;
}
