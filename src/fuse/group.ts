import { meaningOf } from "../kernels/registry.ts";
import { type TellsRoom, whenRoom } from "../kernels/demand.ts";
import { compose } from "./compose.ts";
import { ComposedStream } from "./composed_stream.ts";

type Controller = TransformStreamDefaultController<unknown>;

/** What a group needs of the stream. */
export interface GroupHost {
  /** It has taken a chunk, or has ended early. */
  changed(group: Group): void;
  /** It has failed. */
  failed(reason: unknown): void;
}

/** The chain of one key. */
export class Group implements Controller {
  readonly #host: GroupHost;
  readonly #controller: Controller;
  readonly #stream: ComposedStream;
  /** Until it is made, its queue is as empty as the stream's was in the beginning. */
  #desiredSize: number | null | undefined;
  #hasEnded = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether a chunk is under way. */
  isBusy = false;

  constructor(stage: unknown, controller: Controller, highWaterMark: number, host: GroupHost) {
    this.#host = host;
    this.#controller = controller;
    this.#desiredSize = highWaterMark;
    const { stages } = meaningOf(compose([stage as object]))!;
    this.#stream = new ComposedStream(stages!, this, "groupBy");
    this.#desiredSize = undefined;
  }

  get [whenRoom](): TellsRoom[typeof whenRoom] {
    const { [whenRoom]: tell } = this.#controller as TellsRoom;
    return tell && ((look) => Reflect.apply(tell, this.#controller, [look]));
  }

  get desiredSize(): number | null {
    return this.#desiredSize === undefined ? this.#controller.desiredSize : this.#desiredSize;
  }

  enqueue(chunk: unknown): void {
    this.#controller.enqueue(chunk);
  }

  error(reason: unknown): void {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#host.failed(reason);
  }

  /** The chain has ended early. */
  terminate(): void {
    this.#hasEnded = true;
  }

  /** Begins with a chunk; to be called when it is not busy. */
  write(chunk: unknown): void {
    clearTimeout(this.#timer);
    if (this.#hasEnded) return this.#host.changed(this);
    this.isBusy = true;
    const done = () => {
      this.isBusy = false;
      this.#host.changed(this);
    };
    // What it fails with, `error` is called with.
    this.#stream.transform(chunk).then(done, done);
  }

  setTimer(callback: () => void, ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(callback, ms);
  }

  /** Flushes it, and answers when all that came out has been passed on. */
  end(): Promise<void> {
    clearTimeout(this.#timer);
    return this.#stream.flush();
  }

  /** Passes on what it has begun, as its input has failed. */
  async drain(reason: unknown): Promise<void> {
    clearTimeout(this.#timer);
    if (!this.#hasEnded) await this.#stream.drain(reason);
  }

  async cancel(reason: unknown): Promise<void> {
    clearTimeout(this.#timer);
    // To a composition, a stream that desires nothing was cancelled.
    this.#desiredSize = 0;
    await this.#stream.cancel(reason);
  }
}
