import { whenSettled } from "../awaitable.ts";
import { isPromiseLike } from "../is_promise_like.ts";
import {
  type Counts,
  isOneKernel,
  isSteppingKernel,
  type Kernel,
  type ManyKernel,
  NONE,
  type OneKernel,
  passKernel,
  type SteppingKernel,
} from "../kernels/kernel.ts";
import { TransformerKernel } from "../kernels/transformer.ts";
import type { Operation } from "../kernels/operation.ts";
import { AbortableContext } from "../kernels/stage_context.ts";
import type { Slice } from "../kernels/slice.ts";
import { isClosed, type TellsRoom, whenRoom } from "../kernels/demand.ts";
import { Completion } from "../completion.ts";
import { Fifo } from "../fifo.ts";
import type { Ending, Failure, TurnBudget } from "./ports.ts";
import type { StagePlan } from "./plan_stages.ts";

/** What a stage and its controller ask of the engine. */
export interface ControllerHost {
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

type Listener = (value: unknown) => void;

/** The controller that a stage is given: to it, a `TransformStreamDefaultController` like any other. */
class StageController implements TransformStreamDefaultController<unknown>, TellsRoom {
  readonly #host: ControllerHost;
  readonly #stage: Stage;

  constructor(host: ControllerHost, stage: Stage) {
    this.#host = host;
    this.#stage = stage;
  }

  get desiredSize(): number | null {
    return this.#host.desiredSizeOf(this.#stage);
  }

  [whenRoom](look: () => void): void {
    this.#host.whenRoom(this.#stage, look);
  }

  get [isClosed](): boolean {
    return !this.#stage.isOpen;
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

/** Everything the engine knows of one stage: the state that a `TransformStream` would have. */
export class Stage {
  // First what is looked at for every chunk: it shares a line of the processor's cache.
  readonly index: number;
  /** Its kernel, under one of two names. */
  readonly one: OneKernel | undefined;
  readonly many: ManyKernel | undefined;
  /** The same, if it gives by itself, and no probe looks at it. */
  readonly stepping: SteppingKernel | undefined;
  /** A chunk may walk through it: it is open, not busy, and nothing waits in it. Kept, since every chunk asks. */
  isFree = true;
  /** Its readable side takes chunks. */
  isOpen = true;
  /** Something waits in it: chunks, what its kernel has more to give, or the end of its input. */
  isReady = false;
  /** A promise of one of its methods is pending. */
  isBusy = false;
  /** Its kernel has more to give of the last chunk. */
  hasMore = false;
  /** Where its controller puts chunks while it runs. */
  collector: Slice | undefined = undefined;
  /** The next stage, where both give by themselves. */
  nextStepping: Stage | undefined = undefined;
  /** What is done once a promise of its kernel settles; there once it has waited, and so a wait costs no closure. */
  #wait: { readonly onFulfilled: Listener; readonly onRejected: Listener } | undefined = undefined;
  /** What its kernel makes the promise's chunk of. */
  #awaited: unknown = undefined;
  readonly #isDirect: boolean;
  /** Chunks that wait for it. */
  readonly queue = new Fifo();

  readonly #plan: StagePlan;
  /** Of an operator of ours, once it has started. */
  #operation: Operation<unknown> | undefined;
  readonly #host: ControllerHost;
  readonly #turn: TurnBudget;
  #controller: StageController | undefined;
  #isDrained = false;
  /** Settles with what it is busy with. */
  pending: PromiseLike<unknown> | undefined = undefined;
  /** What its readable side failed with. */
  readFailure: Failure | undefined = undefined;
  /** What its writable side failed with. */
  writeFailure: Failure | undefined = undefined;
  /** What a call of one of its methods threw. */
  thrown: Failure | undefined = undefined;
  /** How its input ends. */
  ending: Ending | undefined = undefined;
  /** Its flush is under way. */
  isFlushing = false;
  /** Settles as its flush or cancel does, once one was called; settled if it has ended by itself. */
  finish: Completion | undefined = undefined;

  constructor(
    plan: StagePlan,
    index: number,
    host: ControllerHost,
    turn: TurnBudget,
    isDirect: boolean,
  ) {
    this.index = index;
    this.#isDirect = isDirect;
    this.#plan = plan;
    this.#host = host;
    this.#turn = turn;
    const kernel = this.#makeKernel();
    this.one = isOneKernel(kernel) ? kernel : undefined;
    this.many = isOneKernel(kernel) ? undefined : kernel;
    this.stepping = isSteppingKernel(kernel) ? kernel : undefined;
  }

  /** Made when it is asked for: the operators of ours need none. */
  get controller(): StageController {
    return this.#controller ??= new StageController(this.#host, this);
  }

  /** Its flush or cancel was called, or it has ended by itself: neither is called again. */
  get isDone(): boolean {
    return this.finish !== undefined;
  }

  get hasCancel(): boolean {
    return this.#plan.cancel !== undefined || this.#plan.open !== undefined ||
      this.many?.end !== undefined;
  }

  get hasFlush(): boolean {
    return this.#plan.flush !== undefined || this.one?.flush !== undefined ||
      this.#operation?.flush !== undefined;
  }

  /** The chunk that it is at, or has failed with; none before the first and while it is flushed. */
  get chunkIndex(): number | undefined {
    const { failedIndex } = this.operation ?? {};
    if (failedIndex !== undefined) return failedIndex;
    const { takenCount } = this;
    return takenCount === 0 || this.isDone ? undefined : takenCount - 1;
  }

  /** Chunks that it has begun. */
  get takenCount(): number {
    return (this.one ?? this.many!).index ?? 0;
  }

  /** What it waits for, where there is more to say than which chunk it is at. */
  get waiting(): string | undefined {
    return this.operation?.waiting?.();
  }

  start(): unknown {
    const { transformer, start, open } = this.#plan;
    if (open === undefined) return start && Reflect.apply(start, transformer, [this.controller]);
    const context = new AbortableContext(undefined, this.#turn);
    this.#operation = open(this.controller, context);
    (this.many as TransformerKernel).begin(this.#operation, this.#operation.transform, context);
  }

  callFlush(): unknown {
    const { transformer, flush } = this.#plan;
    const last = this.one?.flush?.() ?? NONE;
    if (last !== NONE) this.controller.enqueue(last);
    return flush
      ? Reflect.apply(flush, transformer, [this.controller])
      : this.#operation?.flush?.();
  }

  /** Passes on what it has begun, once; answers a promise if that takes time. */
  drainOnce(reason: unknown): unknown {
    if (this.#isDrained) return;
    this.#isDrained = true;
    return this.operation?.drain?.(reason);
  }

  /** Calls its cancel; a kernel of ours ends what hangs. */
  callCancel(reason: unknown): Promise<unknown> {
    const { transformer, cancel } = this.#plan;
    // As the standard does: a promise of its own follows what a method answers, or has what it throws.
    return new Promise((resolve) => {
      const stopped = (this.one ?? this.many)!.stop(reason);
      resolve(
        cancel
          ? Reflect.apply(cancel, transformer, [reason])
          : this.#operation?.cancel?.(reason) ?? stopped,
      );
    });
  }

  /** What its flush waits for is not wanted: an operator of ours stops it, once. */
  stopFlush(reason: unknown): Promise<unknown> | undefined {
    this.isFlushing = false;
    return this.#operation && this.callCancel(reason);
  }

  /** Adds what it has counted. */
  addCounts(counts: Counts): void {
    (this.one ?? this.operation)?.addCounts?.(counts);
  }

  /** That of an operator of ours, also if it is a changed copy of one. */
  get operation(): Operation<unknown> | undefined {
    return this.#operation ?? this.#plan.operationOf?.(this.controller);
  }

  #makeKernel(): Kernel {
    const { transformer, transform, makeKernel, open } = this.#plan;
    if (makeKernel !== undefined) return makeKernel(this);
    if (transform === undefined && open === undefined) return passKernel;
    const kernel = new TransformerKernel(this);
    if (transform !== undefined) kernel.begin(transformer, transform);
    return kernel;
  }

  /** Gives what its kernel made straight to the next one's, if that asks; tells whether it did. */
  passOn(result: IteratorResult<unknown, unknown>): boolean {
    return this.#host.passOn(this, result);
  }

  /** Settles with what it is busy with, if that is known. */
  get work(): PromiseLike<unknown> | undefined {
    return this.pending ?? this.stepping?.step;
  }

  /** What its kernel did with a chunk that was given straight to it is done. */
  endStep(): void {
    this.#host.settle(this, undefined, undefined);
  }

  failStep(reason: unknown): void {
    this.#host.failWait(this, reason);
  }

  /** Its kernel has more to give, though no chunk came. */
  wake(): void {
    this.#host.wake(this);
  }

  /** Where its controller puts chunks from now on; a direct stage passes on each at once. */
  collectIn(slice: Slice | undefined): void {
    this.collector = this.#isDirect ? undefined : slice;
  }

  /** Says whether something waits in it. */
  setReady(isReady: boolean): void {
    this.isReady = isReady;
    this.isFree = !isReady && this.isOpen && !this.isBusy;
  }

  /** A promise of one of its methods is pending until `endWait`; `pending` fulfils once it has settled. */
  beginWait(pending?: PromiseLike<unknown>): void {
    this.isBusy = true;
    this.isFree = false;
    this.pending = pending;
  }

  /** Its kernel has waited before. */
  get hasWaited(): boolean {
    return this.#wait !== undefined;
  }

  /** Waits for a promise of its kernel; `chunk` is what it is made of. */
  awaitKernel(promise: unknown, chunk: unknown): void {
    const { onFulfilled, onRejected } = this.#wait ??= {
      onFulfilled: (value) => this.#host.settle(this, value, this.#takeAwaited()),
      onRejected: (reason) => {
        this.#awaited = undefined;
        this.#host.failWait(this, reason);
      },
    };
    this.#awaited = chunk;
    if (promise instanceof Completion) {
      this.beginWait(promise);
      promise.then(onFulfilled, onRejected);
    } else this.beginWait(whenSettled(promise, onFulfilled, onRejected));
  }

  #takeAwaited(): unknown {
    const chunk = this.#awaited;
    this.#awaited = undefined;
    return chunk;
  }

  endWait(): void {
    this.isBusy = false;
    this.isFree = this.isOpen && !this.isReady;
  }

  /** Its flush or cancel is called now, or never; what comes first counts. */
  setDone(finish: Completion): void {
    this.finish ??= finish;
  }

  /** Its flush takes time, until `endFlush`. */
  beginFlush(): void {
    this.beginWait();
    this.isFlushing = true;
  }

  endFlush(): void {
    this.isFlushing = false;
    this.endWait();
  }

  /** Its writable side fails; the first reason counts. */
  failInput(reason: unknown): void {
    this.writeFailure ??= { failed: true, reason };
  }

  /** Forgets what waits in it; answers how many chunks. */
  empty(): number {
    const { length } = this.queue;
    this.queue.clear();
    this.hasMore = false;
    return length;
  }

  /** What its kernel has more to give is not wanted. */
  drop(): void {
    try {
      const dropped = this.many?.drop();
      if (isPromiseLike(dropped)) Promise.resolve(dropped).catch(() => {});
    } catch {
      // Why it is dropped matters more than how.
    }
  }

  closeReadable(): void {
    this.isOpen = this.isFree = false;
  }
}
