import { Condition } from "../condition.ts";
import { checkFunction } from "../errors.ts";
import { isClosed, type TellsRoom, whenRoom } from "../kernels/demand.ts";
import { operator } from "../kernels/operator.ts";
import { meaningOf } from "../kernels/registry.ts";
import type { StageContext } from "../kernels/stage_context.ts";
import { delay, integer, readOptions } from "../read_options.ts";
import type { Transformer } from "../web_types.ts";
import { compose } from "./compose.ts";
import { ComposedStream } from "./composed_stream.ts";

type Controller = TransformStreamDefaultController<unknown>;

/** The chain of one key. */
class Group implements Controller {
  readonly #groups: Groups;
  readonly key: unknown;
  readonly #controller: Controller;
  readonly #stream: ComposedStream;
  /** Until it is made, its queue is as empty as the stream's was in the beginning. */
  #desiredSize: number | null | undefined;
  #hasEnded = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether a chunk is under way. */
  isBusy = false;

  constructor(groups: Groups, key: unknown) {
    this.#groups = groups;
    this.key = key;
    this.#controller = groups.controller;
    const stage = groups.plan.makeStage(key);
    this.#desiredSize = groups.highWaterMark;
    const { stages } = meaningOf(compose([stage as object]))!;
    this.#stream = new ComposedStream(stages!, this, "groupBy");
    this.#desiredSize = undefined;
  }

  get [whenRoom](): TellsRoom[typeof whenRoom] {
    const { [whenRoom]: tell } = this.#controller as TellsRoom;
    return tell && ((look) => Reflect.apply(tell, this.#controller, [look]));
  }

  get [isClosed](): boolean | undefined {
    return (this.#controller as TellsRoom)[isClosed];
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
    this.#groups.handleFailure(reason);
  }

  /** The chain has ended early. */
  terminate(): void {
    this.#hasEnded = true;
  }

  /** Begins with a chunk; to be called when it is not busy. */
  write(chunk: unknown): void {
    clearTimeout(this.#timer);
    if (this.#hasEnded) return this.#groups.handleChange(this);
    this.isBusy = true;
    const done = () => {
      this.isBusy = false;
      this.#groups.handleChange(this);
    };
    // What it fails with, `error` is called with.
    this.#stream.transform(chunk).then(done, done);
  }

  hearNothing(): void {
    this.#stream.hearNothing();
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
interface GroupPlan {
  readonly makeStage: (key: unknown) => unknown;
  readonly maxKeys: number;
  readonly idleMs: number | undefined;
}

/** The chains of one stream of `groupBy`. */
class Groups {
  readonly plan: GroupPlan;
  readonly controller: TransformStreamDefaultController<unknown>;
  readonly highWaterMark: number;
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
  #isUnheard = false;

  /** To be made by `start`: nothing is queued yet, so what is desired is the whole high-water mark. */
  constructor(plan: GroupPlan, controller: TransformStreamDefaultController<unknown>) {
    this.plan = plan;
    this.controller = controller;
    this.highWaterMark = controller.desiredSize ?? 0;
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

  hearNothing(): void {
    this.#isUnheard = true;
    for (const group of [...this.#open.values(), ...this.#ending.values()]) group.hearNothing();
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
      group = new Group(this, key);
      if (this.#isUnheard) group.hearNothing();
      this.#open.set(key, group);
      return group;
    }
    if (group.isBusy) await this.#until(() => this.#isOver || !group!.isBusy);
    // While it was waited for, it may have been ended.
    return this.#isOver || this.#open.get(key) === group ? group : this.#groupOf(key);
  }

  /** Whether another chain may be opened; ends one that is idle if not. */
  #hasPlace(): boolean {
    if (this.#open.size + this.#ending.size < this.plan.maxKeys) return true;
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

  handleChange(group: Group): void {
    const { key } = group;
    const { idleMs } = this.plan;
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
    }, (reason) => {
      // A stream that takes nothing more does not learn of it otherwise.
      if (this.#ending.get(key) === group) this.#fail(reason);
    });
  }

  /** A chain has failed. */
  handleFailure(reason: unknown): void {
    this.controller.error(reason);
    this.#fail(reason);
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

/** How many chains `groupBy` keeps open, and how long. */
export interface GroupByOptions {
  /**
   * How many keys may have a chain at a time, a positive integer. At one more, the key that was used least recently
   * and is idle is flushed and ended, which a run counts in its result as `keysEvicted`; if none is idle, the stage
   * waits. Default: 1000.
   */
  maxKeys?: number | undefined;
  /**
   * Milliseconds after which a key that takes no chunk is flushed and ended, from 0 to 2,147,483,647. Default: it
   * stays until another needs its place or the stream ends.
   */
  idleMs?: number | undefined;
}

/**
 * Passes the chunks of each key through a chain of its own, and gives what comes out of all of them as it comes.
 *
 * Within a key the order is kept; keys go on at the same time, each with one chunk under way. So at most
 * `maxKeys` chunks are held beside what the chains hold themselves, and one that waits. A key that
 * returns after its chain was ended begins a new one, once the old one has ended. A chain that ends early, as by `take`,
 * drops the further chunks of its key as long as it keeps its place. The first failure of a chain is the stream's,
 * and cancels the others. If the source or an earlier stage fails, each chain passes on what it has begun first.
 *
 * @typeParam T The type of the chunks that come in.
 * @typeParam Key The type of the keys, which are compared as those of a `Map`.
 * @typeParam O The type of the chunks that go out.
 * @param key Gets the chunk, its index, counted from 0 in each stream, and a context with a `signal`; returns its
 * key or a promise of it.
 * @param makeStage Called with a key that has no chain; makes the stage for it, of several by `compose`.
 * @param options How many chains there may be, and how long they stay.
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`.
 * @throws {TypeError} If a function is none, a number is not one, or an option is unknown.
 * @throws {RangeError} If `maxKeys` is not a positive integer, or `idleMs` not a delay a timer knows.
 *
 * @example A running total of each account
 * ```ts
 * import { compose, groupBy, map, scan, toArray } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const payments = [["ada", 1], ["alan", 5], ["ada", 2]] as const;
 * const totals = groupBy(
 *   ([name]: readonly [string, number]) => name,
 *   (name) =>
 *     compose(
 *       map(([, amount]: readonly [string, number]) => amount),
 *       scan((sum, amount) => sum + amount, 0),
 *       map((sum) => `${name}: ${sum}`),
 *     ),
 *   { maxKeys: 100 },
 * );
 *
 * assert.deepEqual((await toArray(payments, totals)).sort(), ["ada: 1", "ada: 3", "alan: 5"]);
 * ```
 */
export function groupBy<T, Key, O>(
  key: (chunk: T, index: number, context: StageContext) => Key | PromiseLike<Key>,
  makeStage: (key: Key) => Transformer<T, O>,
  options: GroupByOptions = {},
): Transformer<T, O> {
  const action = "create groupBy";
  checkFunction(action, "key", key);
  checkFunction(action, "makeStage", makeStage);
  const limits = readOptions(action, options, { maxKeys: integer(1000), idleMs: delay() });
  const plan = { makeStage: makeStage as (key: unknown) => unknown, ...limits };
  return operator((controller, context) => {
    const groups = new Groups(plan, controller);
    let index = 0;
    return {
      transform: (chunk) => groups.add(() => key(chunk, index++, context), chunk),
      flush: () => groups.finish(),
      drain: (reason) => groups.drain(reason),
      cancel: (reason) => groups.cancel(reason),
      hearNothing: () => groups.hearNothing(),
      addCounts(counts) {
        if (groups.evicted > 0) counts.keysEvicted = (counts.keysEvicted ?? 0) + groups.evicted;
      },
    };
  }, { name: "groupBy", fn: key });
}
