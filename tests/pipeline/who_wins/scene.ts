import type { Transformer } from "@hosepipe/streams";
import { settledWithin, type Standing } from "../../lib/settled_within.ts";
import { turns } from "../../lib/turns.ts";

/** What fails first in a scene, and what after it. */
export interface Reasons {
  readonly first: unknown;
  readonly second: unknown;
}

/** A promise that the scene settles by hand. */
export interface Hold {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

function hold(): Hold {
  let resolve!: () => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<void>((settle, fail) => {
    resolve = settle;
    reject = fail;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
}

/** The parts of a run, which a way connects: a source, an earlier, a middle and a later stage, and a sink. */
export class Scene {
  readonly first: unknown;
  readonly second: unknown;
  readonly abort: AbortController = new AbortController();
  readonly stages: { earlier: Transformer; middle: Transformer; later: Transformer };
  middle!: TransformStreamDefaultController<unknown>;
  /** What a method of an end throws. */
  readonly throws: { sourceCancel?: boolean; sinkClose?: boolean; sinkAbort?: boolean } = {};
  /** The first chunk is held in its write, or in a stage. */
  heldWrite: Hold | undefined;
  held: Hold | undefined;
  /** From its second chunk on the sink fails. */
  failsLater = false;
  /** What each end heard. */
  readonly heard: { source: unknown[]; sink: unknown[] } = { source: [], sink: [] };
  // Set by the way.
  giveChunk!: (chunk: number) => void;
  endSource!: () => void;
  failSource!: (reason: unknown) => void;
  failSink!: (reason: unknown) => void;
  #writes = 0;

  constructor({ first, second }: Reasons) {
    this.first = first;
    this.second = second;
    this.stages = {
      earlier: {},
      middle: { start: (controller) => void (this.middle = controller) },
      later: { flush() {} },
    };
  }

  holdWrite(): void {
    this.heldWrite = hold();
  }

  /** Lets a stage hold its first chunk. */
  holdIn(stage: "earlier" | "later"): void {
    const held = this.held = hold();
    this.stages[stage] = { transform: () => held.promise };
  }

  cancelThrows(stage: "earlier" | "later"): void {
    const cancel = () => {
      throw this.second;
    };
    this.stages[stage] = { ...this.stages[stage], cancel };
  }

  readonly write = (): Promise<void> | void => {
    const count = ++this.#writes;
    if (count === 1 && this.heldWrite !== undefined) return this.heldWrite.promise;
    if (count > 1 && this.failsLater) return Promise.reject(this.second);
  };

  /** What an end hears, and what it throws then. */
  hear(end: "source" | "sink", reason: unknown): void {
    this.heard[end].push(reason);
    const { sourceCancel, sinkAbort } = this.throws;
    if (end === "source" ? sourceCancel : sinkAbort) throw this.second;
  }

  readonly close = (): void => {
    if (this.throws.sinkClose) throw this.second;
  };

  /** Runs it: a chunk goes as far as it can, then comes the first failure, then the second. */
  async stand(
    connect: Connect,
    fire: (scene: Scene) => void,
    afterwards: (scene: Scene) => void,
  ): Promise<Standing> {
    const run = connect(this);
    run.catch(() => {});
    await turns(2);
    this.giveChunk(1);
    await turns(3);
    fire(this);
    await turns(3);
    afterwards(this);
    return await settledWithin(run);
  }
}

/** How a scene is run. */
export type Connect = (scene: Scene) => Promise<unknown>;

/** The streams of a scene for the Web. */
export function webEnds(scene: Scene): {
  source: ReadableStream<number>;
  sink: WritableStream<unknown>;
} {
  const source = new ReadableStream<number>({
    start(controller) {
      scene.giveChunk = (chunk) => controller.enqueue(chunk);
      scene.endSource = () => controller.close();
      scene.failSource = (reason) => controller.error(reason);
    },
    cancel: (reason) => scene.hear("source", reason),
  }, { highWaterMark: 0 });
  const sink = new WritableStream<unknown>({
    start: (controller) => void (scene.failSink = (reason) => controller.error(reason)),
    write: scene.write,
    close: scene.close,
    abort: (reason) => scene.hear("sink", reason),
  });
  return { source, sink };
}
