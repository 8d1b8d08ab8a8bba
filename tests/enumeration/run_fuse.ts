import { microtasks } from "../lib/microtasks.ts";
import { Scene, stagesOf } from "./scene.ts";
import type { Schedule } from "./schedule.ts";

type Pair = ReadableWritablePair<unknown, unknown>;

/** Makes the pair of streams of a chain. */
export type MakePair = (
  transformers: readonly Transformer<unknown, unknown>[],
  writableStrategy: QueuingStrategy,
  readableStrategy: QueuingStrategy,
) => Pair;

const steps = [
  "write",
  "read",
  "close",
  "abort",
  "cancel",
  "release writer",
  "release reader",
] as const;
const inSameTurn = [...steps, "go on at once"];

/** Runs a schedule with a pair of streams, whose ends a user writes to and reads from. */
export async function runFuse(schedule: Schedule, make: MakePair): Promise<Scene> {
  const scene = new Scene(schedule.deviations, 1);
  let pair: Pair;
  try {
    pair = make(
      stagesOf(scene, schedule.stages),
      { highWaterMark: schedule.firstMark },
      { highWaterMark: schedule.lastMark },
    );
  } catch (reason) {
    scene.say(`make # ${scene.show(reason)}`);
    return scene;
  }
  const { readable, writable } = pair;
  let writer!: WritableStreamDefaultWriter<unknown>;
  let reader!: ReadableStreamDefaultReader<unknown>;
  let ready: Promise<void> | undefined;
  let count = 0;
  let chunks = 0;
  scene.look = () => {
    if (writer.ready === ready) return;
    ready = writer.ready;
    scene.watch("writer: ready", ready);
  };
  const getWriter = () => {
    writer = writable.getWriter();
    scene.watch("writer: closed", writer.closed);
    scene.look();
  };
  const getReader = () => {
    reader = readable.getReader();
    scene.watch("reader: closed", reader.closed);
  };
  const showRead = ({ done, value }: ReadableStreamReadResult<unknown>) =>
    done ? "end" : String(value);
  const perform = (step: string) => {
    const name = `${step} ${count++}`;
    try {
      if (step === "write") scene.watch(`writer: ${name}`, writer.write(`c${chunks++}`));
      else if (step === "read") scene.watch(`reader: ${name}`, reader.read(), showRead);
      else if (step === "close") scene.watch(`writer: ${name}`, writer.close());
      else if (step === "abort") scene.watch(`writer: ${name}`, writer.abort(scene.reason(name)));
      else if (step === "cancel") {
        scene.watch(`reader: ${name}`, reader.cancel(scene.reason(name)));
      } else if (step === "release writer") {
        writer.releaseLock();
        getWriter();
      } else if (step === "release reader") {
        reader.releaseLock();
        getReader();
      }
    } catch (reason) {
      scene.say(`${name} # ${scene.show(reason)}`);
    }
    scene.look();
  };
  getWriter();
  getReader();
  const { pause } = schedule;
  const isBurst = schedule.plain === "burst";
  const plain = [
    ...Array.from({ length: schedule.chunks }, () => ["write", "read"]).flat(),
    "close",
    "read",
  ];
  let isNewTurn = true;
  let index = 0;
  for (;;) {
    let step = isNewTurn ? scene.chooseStep(steps) : undefined;
    if (step === undefined) {
      if (index === plain.length) break;
      step = plain[index++]!;
    }
    const isLast = index === plain.length;
    while (step !== undefined && step !== "go on at once") {
      if (!isNewTurn && pause !== undefined && (pause.step ?? count) === count) {
        await microtasks(pause.microtasks);
        scene.look();
      }
      isNewTurn = false;
      perform(step);
      step = scene.chooseStep(isBurst || isLast ? steps : inSameTurn);
    }
    if (step === "go on at once" || (isBurst && !isLast)) continue;
    await scene.endTurn();
    isNewTurn = true;
  }
  await scene.end();
  scene.say(`writer: desiredSize ${desiredSizeOf(writer)}`);
  return scene;
}

function desiredSizeOf(writer: WritableStreamDefaultWriter<unknown>): string {
  try {
    return String(writer.desiredSize);
  } catch {
    return "throws";
  }
}
