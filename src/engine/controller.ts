import { type TellsRoom, whenRoom } from "../kernels/tells_room.ts";
import type { Slice } from "../kernels/slice.ts";

/** What a controller asks of the engine for its stage. */
export interface ControllerHost<Stage> {
  desiredSizeOf(stage: Stage): number | null;
  /** Calls back once, when there may be room behind the stage. */
  whenRoom(stage: Stage, look: () => void): void;
  enqueue(stage: Stage, chunk: unknown): void;
  fail(stage: Stage, reason: unknown): void;
  terminate(stage: Stage): void;
  /** Lets the stage's kernel give more. */
  wake(stage: Stage): void;
  /** Gives what the stage's kernel made straight to the next one; tells whether that took it. */
  passOn(stage: Stage, result: IteratorResult<unknown, unknown>): boolean;
  settle(stage: Stage, value: unknown, chunk: unknown): void;
  failWait(stage: Stage, reason: unknown): void;
}

/** The controller that a stage is given: to it, a `TransformStreamDefaultController` like any other. */
export class StageController<Stage extends { readonly collector: Slice | undefined }>
  implements TransformStreamDefaultController<unknown>, TellsRoom {
  readonly #host: ControllerHost<Stage>;
  readonly #stage: Stage;

  constructor(host: ControllerHost<Stage>, stage: Stage) {
    this.#host = host;
    this.#stage = stage;
  }

  get desiredSize(): number | null {
    return this.#host.desiredSizeOf(this.#stage);
  }

  [whenRoom](look: () => void): void {
    this.#host.whenRoom(this.#stage, look);
  }

  enqueue(chunk?: unknown): void {
    const { collector } = this.#stage;
    if (collector !== undefined) collector.out[collector.outCount++] = chunk;
    else this.#host.enqueue(this.#stage, chunk);
  }

  error(reason?: unknown): void {
    this.#host.fail(this.#stage, reason);
  }

  terminate(): void {
    this.#host.terminate(this.#stage);
  }
}
