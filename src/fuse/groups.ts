import { Condition } from "../condition.ts";
import { meaningOf } from "../kernels/registry.ts";
import { type TellsRoom, whenRoom } from "../kernels/demand.ts";
import { compose } from "./compose.ts";
import { ComposedStream } from "./composed_stream.ts";

type Controller = TransformStreamDefaultController<unknown>;

/** What a group needs of the stream. */
interface GroupHost {
  /** It has taken a chunk, or has ended early. */
  changed(group: Group): void;
  /** It has failed. */
  failed(reason: unknown): void;
}

/** The chain of one key. */
class Group implements Controller {
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

/** What `groupBy` was given. */
export interface GroupPlan {
  readonly makeStage: (key: unknown) => unknown;
  readonly maxKeys: number;
  readonly idleMs: number | undefined;
}

/** The chains of one stream of `groupBy`. */
export class Groups {
  readonly #plan: GroupPlan;
  readonly #controller: TransformStreamDefaultController<unknown>;
  readonly #highWaterMark: number;
  /** By their keys, the one that was used least recently first. */
  readonly #open = new Map<unknown, Group>();
  /** Those that are being flushed. */
  readonly #ending = new Map<unknown, Group>();
  /** Changes when a chain has taken a chunk, has ended or has failed. */
  readonly #change = new Condition();
  /** How many chains were ended for another key's sake. */
  evicted = 0;
  #failure: { readonly reason: unknown } | undefined;
  #isOver = false;

  /** To be made by `start`: nothing is queued yet, so what is desired is the whole high-water mark. */
  constructor(plan: GroupPlan, controller: TransformStreamDefaultController<unknown>) {
    this.#plan = plan;
    this.#controller = controller;
    this.#highWaterMark = controller.desiredSize ?? 0;
  }

  /** Passes a chunk to the chain of its key, once that takes it. */
  async add(readKey: () => unknown, chunk: unknown): Promise<void> {
    try {
      const key = await readKey();
      const group = await this.#groupOf(key);
      if (group === undefined) return;
      // It is now the one that was used last.
      this.#open.delete(key);
      this.#open.set(key, group);
      group.write(chunk);
    } catch (reason) {
      // A stage that fails by itself is not cancelled.
      this.#fail(reason);
      throw reason;
    }
  }

  /** Lets each chain pass on what it has begun, as its input has failed; fails with what a chain fails with. */
  async drain(reason: unknown): Promise<void> {
    await this.#until(() => ![...this.#open.values()].some(({ isBusy }) => isBusy));
    const drained = [...this.#open.values()].map((group) => group.drain(reason));
    await Promise.all([...drained, this.#until(() => this.#ending.size === 0)]);
  }

  /** Answers once all chains have ended. */
  async finish(): Promise<void> {
    for (const [key, group] of this.#open) this.#end(key, group);
    await this.#until(() => this.#ending.size === 0);
  }

  /** Cancels all chains; fails with the first failure among their answers. */
  async cancel(reason: unknown): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    const groups = [...this.#open.values(), ...this.#ending.values()];
    this.#open.clear();
    this.#ending.clear();
    this.#change.notifyAll();
    const answers = await Promise.allSettled(groups.map((group) => group.cancel(reason)));
    for (const answer of answers) if (answer.status === "rejected") throw answer.reason;
  }

  /** The chain of a key, once it takes a chunk; none where the stream is over. */
  async #groupOf(key: unknown): Promise<Group | undefined> {
    // One that has just been ended must go first, and so must one that has no place yet.
    await this.#until(() =>
      this.#isOver || this.#open.has(key) || (!this.#ending.has(key) && this.#hasPlace())
    );
    if (this.#isOver) return undefined;
    let group = this.#open.get(key);
    if (group === undefined) {
      group = new Group(
        this.#plan.makeStage(key),
        this.#controller,
        this.#highWaterMark,
        {
          changed: (group) => this.#onChange(key, group),
          failed: (reason) => {
            this.#controller.error(reason);
            this.#fail(reason);
          },
        },
      );
      this.#open.set(key, group);
      return group;
    }
    if (group.isBusy) await this.#until(() => this.#isOver || !group!.isBusy);
    // While it was waited for, it may have been ended.
    return this.#isOver || this.#open.get(key) === group ? group : this.#groupOf(key);
  }

  /** Whether another chain may be opened; ends one that is idle if not. */
  #hasPlace(): boolean {
    if (this.#open.size + this.#ending.size < this.#plan.maxKeys) return true;
    if (this.#ending.size === 0) {
      for (const [key, group] of this.#open) {
        if (group.isBusy) continue;
        this.evicted++;
        this.#end(key, group);
        break;
      }
    }
    return false;
  }

  #onChange(key: unknown, group: Group): void {
    const { idleMs } = this.#plan;
    if (idleMs !== undefined && !group.isBusy && this.#open.get(key) === group) {
      group.setTimer(() => this.#end(key, group), idleMs);
    }
    this.#change.notifyAll();
  }

  #end(key: unknown, group: Group): void {
    this.#open.delete(key);
    this.#ending.set(key, group);
    group.end().then(() => {
      this.#ending.delete(key);
      this.#change.notifyAll();
      // What it failed with has been heard.
    }, () => {});
  }

  #fail(reason: unknown): void {
    this.#failure ??= { reason };
    this.cancel(reason).catch(() => {});
  }

  /** Waits until something is so; fails once a chain has. */
  async #until(isSo: () => boolean): Promise<void> {
    while (this.#failure === undefined && !isSo()) await this.#change.wait();
    if (this.#failure !== undefined) throw this.#failure.reason;
  }
}
