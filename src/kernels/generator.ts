import { checkResult } from "../check_result.ts";
import { Completion } from "../completion.ts";
import { throwTypeError } from "../errors.ts";
import type { Transformer } from "../web_types.ts";
import { runManyNatively } from "./drain_loop.ts";
import { type Answer, DONE, FAILED, MORE, NONE, type SteppingKernel, WAITS } from "./kernel.ts";
import { operator } from "./operator.ts";
import type { Meaning } from "./registry.ts";
import type { Slice } from "./slice.ts";
import { AbortableContext, type StageContext } from "./stage_context.ts";

type Result = IteratorResult<unknown, unknown>;

function ignore(): void {}

/** How a source ends: with a reason if it fails. */
interface SourceEnd {
  readonly reason?: unknown;
}

/** A question behind another. */
interface Asked {
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
  promise?: Promise<Result>;
}

/** The chunks of a stage as its generator asks for them. */
class GeneratorSource {
  /** What the generator iterates. */
  readonly iterator: AsyncIterableIterator<unknown> = {
    next: () => this.#next(),
    return: (value) => {
      this.end({});
      return Promise.resolve({ done: true, value });
    },
    [Symbol.asyncIterator]: () => this.iterator,
  };
  readonly #onAsked: () => void;
  /** Most ask one at a time: what settles the first question, and those behind it. */
  #resolve: ((result: Result) => void) | undefined;
  #reject!: (reason: unknown) => void;
  #asked!: Promise<Result>;
  #others: Asked[] | undefined;
  /** A chunk that came before the generator has asked. */
  #held: Result | undefined;
  #end: SourceEnd | undefined;

  /** `onAsked` is called when the generator waits for a chunk. */
  constructor(onAsked: () => void) {
    this.#onAsked = onAsked;
  }

  /** Whether the generator waits for a chunk. */
  get isAsked(): boolean {
    return this.#resolve !== undefined;
  }

  /** Whether it waits for one chunk, and not for several at once. */
  get asksOnce(): boolean {
    return this.#resolve !== undefined && this.#others === undefined;
  }

  give(value: unknown): void {
    this.giveResult({ done: false, value });
  }

  giveResult(result: Result): void {
    const resolve = this.#resolve;
    if (resolve !== undefined) {
      this.#moveUp();
      resolve(result);
    } else if (this.#end === undefined) this.#held = result;
  }

  /** No chunk follows; the first end counts. */
  end(end: SourceEnd): void {
    this.#held = undefined;
    end = this.#end ??= end;
    while (this.#resolve !== undefined) {
      const resolve = this.#resolve;
      const reject = this.#reject;
      const asked = this.#asked;
      this.#moveUp();
      if ("reason" in end) {
        reject(end.reason);
        // The generator may not look at it any more.
        asked.catch(ignore);
      } else resolve({ done: true, value: undefined });
    }
  }

  #moveUp(): void {
    const others = this.#others;
    if (others === undefined) {
      this.#resolve = undefined;
      return;
    }
    const next = others.shift()!;
    if (others.length === 0) this.#others = undefined;
    this.#resolve = next.resolve;
    this.#reject = next.reject;
    this.#asked = next.promise!;
  }

  // Made once: a question costs no closure.
  readonly #keepAsked = (
    resolve: (result: Result) => void,
    reject: (reason: unknown) => void,
  ): void => {
    if (this.#resolve !== undefined) {
      (this.#others ??= []).push({ resolve, reject });
      return;
    }
    this.#resolve = resolve;
    this.#reject = reject;
  };

  #next(): Promise<Result> {
    const held = this.#held;
    if (held !== undefined) {
      this.#held = undefined;
      return Promise.resolve(held);
    }
    const asked = new Promise<Result>(this.#keepAsked);
    if (this.#others === undefined) this.#asked = asked;
    else this.#others.at(-1)!.promise = asked;
    if (this.#end === undefined) this.#onAsked();
    else this.end(this.#end);
    return asked;
  }
}

/** A function that makes an async iterable of another, such as an async generator function. */
export type GeneratorFunction = (
  source: AsyncIterableIterator<unknown>,
  context: StageContext,
) => AsyncIterable<unknown>;

/** What the kernel needs of its stream. */
export interface GeneratorHost {
  readonly controller: unknown;
  /** Asked to call `more` once there is room; a native stream cannot. */
  wake?(): void;
  /** Gives a result straight to a generator behind it, if that asks; tells whether it did. */
  passOn?(result: Result): boolean;
  /** It has done with a chunk that `takeResult` took, or has failed at it. */
  endStep?(): void;
  failStep?(reason: unknown): void;
}

const action = "run stage";

const generatorPrototype = Object.getPrototypeOf(async function* () {}.prototype);
const nextOfGenerator: unknown = generatorPrototype.next;

/**
 * Runs an async generator function: it is resumed only where there is room, and has done with a chunk once it asks for
 * another; meanwhile it may give as many as it likes.
 */
export class GeneratorKernel implements SteppingKernel {
  /** It may be resumed: it has not begun, stands at a `yield`, or was not heard yet. */
  hasMore = true;
  readonly needsRoom = true;
  readonly #fn: GeneratorFunction;
  readonly #host: GeneratorHost | undefined;
  readonly #context = new AbortableContext();
  #iterator: AsyncIterator<unknown> | undefined;
  /** Settles with its `next`, while that is pending. */
  #pulled: PromiseLike<void> | undefined;
  /** What it gave and nothing took yet. */
  #given: Result | undefined;
  readonly #source = new GeneratorSource(() => this.#leaveStep());
  /** What the stream waits for: that it gives, asks or ends. */
  #step: Completion | undefined;
  /** The stream waits for that without a promise: its host is called. */
  #isAwaited = false;
  /** It is being resumed: what it asks is looked at afterwards. */
  #isPulling = false;
  #hasInputEnded = false;
  /** Its iterator is a generator, which makes a new object for each result. */
  #makesResults = false;
  #isEnded = false;
  #failure: { readonly reason: unknown } | undefined;
  #stopped: Promise<void> | undefined;

  constructor(fn: GeneratorFunction, host?: GeneratorHost) {
    this.#fn = fn;
    this.#host = host;
  }

  get #controller(): TransformStreamDefaultController<unknown> {
    return this.#host!.controller as TransformStreamDefaultController<unknown>;
  }

  /** How many chunks it was given. */
  index = 0;

  run(slice: Slice): Answer {
    const { items } = slice;
    this.index++;
    const chunk = items[0];
    items[0] = undefined;
    slice.taken = 1;
    this.#source.give(chunk);
    return this.more(slice);
  }

  more(slice: Slice): Answer {
    if (this.#given !== undefined) {
      slice.give(this.#given.value);
      this.#given = undefined;
      return MORE;
    }
    this.hasMore = false;
    if (this.#isEnded) return DONE;
    try {
      if (this.#pulled === undefined) this.#pull();
    } catch (reason) {
      this.#isEnded = true;
      slice.reason = reason;
      return FAILED;
    }
    if (this.#source.isAsked) return DONE;
    slice.promise = this.#step = new Completion();
    return WAITS;
  }

  settle(_: unknown, give: (chunk: unknown) => void): void {
    const given = this.takeGiven();
    if (given !== NONE) give(given);
  }

  /** Takes a chunk from the generator before it, as it was given; tells whether it asks. */
  takeResult(result: Result): boolean {
    if (!this.#source.asksOnce || this.#isEnded) return false;
    this.index++;
    this.#source.giveResult(result);
    this.hasMore = false;
    return this.#isAwaited = true;
  }

  /** Resumes it in the step in which it gave; tells whether its host is called once it has done. */
  resume(): boolean {
    this.hasMore = false;
    this.#isAwaited = true;
    if (this.#resume()) return true;
    return this.#isAwaited = false;
  }

  /** Settles with what its host is called for. */
  get step(): Completion | undefined {
    return this.#isAwaited ? this.#step ??= new Completion() : undefined;
  }

  /** Takes what it gave meanwhile, or `NONE`. */
  takeGiven(): unknown {
    const given = this.#given;
    this.#given = undefined;
    return given === undefined ? NONE : given.value;
  }

  /** No chunk follows. Tells whether it may still give some. */
  end(): boolean {
    this.#hasInputEnded = true;
    this.#source.end({});
    return this.hasMore = !this.#isEnded;
  }

  /** Ends it too, unless its stream knows of a reason in the same step. */
  drop(): unknown {
    return this.#isEnded
      ? undefined
      : Promise.resolve().then(() =>
        this.stop(new TypeError("Cannot go on: the stage has failed"))
      );
  }

  /** Settles once its `finally` has run. */
  stop(reason: unknown): Promise<void> | undefined {
    if (this.#isEnded) return this.#stopped;
    return this.#stopped ??= this.#stop(reason);
  }

  async #stop(reason: unknown): Promise<void> {
    this.#context.stop(reason);
    this.#given = undefined;
    this.#source.end({ reason });
    const iterator = this.#iterator;
    this.#isEnded = true;
    this.#leaveStep();
    if (iterator === undefined) return;
    const returned = iterator.return?.();
    // What it does with the reason counts first.
    if (returned !== undefined) Promise.resolve(returned).catch(ignore);
    await this.#pulled;
    if (this.#failure === undefined) await returned;
    else if (this.#failure.reason !== reason) throw this.#failure.reason;
  }

  #pull(): void {
    const iterator = this.#iterator ??= this.#open();
    this.#pulled = Promise.resolve(iterator.next()).then(this.#onResult, this.#onFailed);
  }

  /** Resumes it; tells whether it works on, or has failed. */
  #resume(): boolean {
    this.#isPulling = true;
    try {
      this.#pull();
    } catch (reason) {
      this.#onFailed(reason);
      return true;
    } finally {
      this.#isPulling = false;
    }
    return !this.#source.isAsked && !this.#isEnded;
  }

  #open(): AsyncIterator<unknown> {
    const made = (0, this.#fn)(this.#source.iterator, this.#context);
    const open = made?.[Symbol.asyncIterator];
    if (typeof open !== "function") {
      throwTypeError(action, "what the function returns", "an async iterable", made);
    }
    const iterator = Reflect.apply(open, made, []);
    this.#makesResults = iterator?.next === nextOfGenerator;
    return iterator;
  }

  /** Tells whether the stream has waited. */
  #leaveStep(): boolean {
    if (this.#isPulling) return false;
    const step = this.#step;
    this.#step = undefined;
    if (this.#isAwaited) {
      this.#isAwaited = false;
      this.#host!.endStep!();
    } else if (step === undefined) return false;
    step?.resolve();
    return true;
  }

  readonly #onResult = (result: Result): void => {
    this.#pulled = undefined;
    if (this.#isEnded) return;
    try {
      checkResult(result, action);
      if (result.done) return this.#onEnd();
      // Some iterators use one result again and again.
      if (!this.#makesResults) result = { value: result.value, done: false };
    } catch (reason) {
      return this.#onFailed(reason);
    }
    const isAwaited = this.#isAwaited || this.#step !== undefined;
    if (isAwaited && this.#host!.passOn?.(result)) {
      if (!this.#resume()) this.#leaveStep();
      return;
    }
    this.#given = result;
    this.hasMore = true;
    // Nothing has waited: it goes by a clock of its own.
    if (this.#leaveStep()) return;
    const host = this.#host!;
    if (host.wake !== undefined) return host.wake();
    this.#given = undefined;
    this.#controller.enqueue(result.value);
    this.#pull();
  };

  #onEnd(): void {
    this.#isEnded = true;
    this.hasMore = false;
    if (!this.#hasInputEnded) this.#controller.terminate();
    this.#leaveStep();
  }

  readonly #onFailed = (reason: unknown): void => {
    this.#pulled = undefined;
    if (this.#isEnded) {
      this.#failure = { reason };
      return;
    }
    this.#isEnded = true;
    this.hasMore = false;
    const step = this.#step;
    if (this.#isAwaited) {
      this.#isAwaited = false;
      this.#host!.failStep!(reason);
    } else if (step === undefined) this.#controller.error(reason);
    step?.reject(reason);
  };
}

/** What an async generator function, or what is like one, stands for. */
export function generatorMeaning(fn: GeneratorFunction): Meaning {
  return {
    open: undefined,
    makeKernel: (host) => new GeneratorKernel(fn, host),
    isGenerator: true,
    name: "stage",
    fn,
  };
}

/** The dictionary of a function from an async iterable to another, and what it is called if not by `stage`. */
export function generatorTransformer<I, O>(
  fn: GeneratorFunction,
  named?: Pick<Meaning, "name" | "fn">,
): Transformer<I, O> {
  return operator(
    (controller) => runManyNatively(new GeneratorKernel(fn, { controller }), controller),
    { ...generatorMeaning(fn), ...named },
  );
}
