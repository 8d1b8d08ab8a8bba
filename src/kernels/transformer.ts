import { isPromiseLike } from "../is_promise_like.ts";
import { type Answer, DONE, FAILED, type ManyKernel, WAITS } from "./kernel.ts";
import type { Slice } from "./slice.ts";

type Method = (this: unknown, chunk: unknown, controller: unknown) => unknown;

const nativeCall = Function.prototype.call;

/** Made callable by `call`, unless the method has one of its own: `Reflect.apply` costs JavaScriptCore 2 to 3 times the time. */
function toCallable(method: Method): Method {
  if (method.call === nativeCall) return method;
  return function (chunk, controller) {
    return Reflect.apply(method, this, [chunk, controller]);
  };
}

/** What a kernel of a transformer needs to know of its stage. */
export interface TransformerHost {
  readonly controller: unknown;
  readonly isOpen: boolean;
  /** Calls the kernel's `more` once there is room. */
  wake(): void;
  /** Where the controller puts chunks while the kernel runs. */
  collectIn(slice: Slice | undefined): void;
}

/** What the `transform` of a dictionary or an operation does: what it enqueues while it runs is gathered in `slice.out`. */
export class TransformerKernel implements ManyKernel {
  readonly #host: TransformerHost;
  readonly hasMore = false;
  /** How many chunks it was given. */
  index = 0;
  #transformer: unknown;
  #transform!: Method;
  #context: { stop(reason: unknown): void } | undefined;
  #controller: unknown;

  constructor(host: TransformerHost) {
    this.#host = host;
  }

  /** To be called before the first chunk; `context` is stopped with the kernel. */
  begin(
    transformer: unknown,
    transform: Method,
    context?: { stop(reason: unknown): void },
  ): void {
    this.#transformer = transformer;
    this.#transform = toCallable(transform);
    this.#context = context;
  }

  run(slice: Slice): Answer {
    const host = this.#host;
    const transformer = this.#transformer;
    const transform = this.#transform;
    const controller = this.#controller ??= host.controller;
    const { items, count, limit } = slice;
    host.collectIn(slice);
    let taken = 0;
    let answer: Answer = DONE;
    try {
      while (taken < count && host.isOpen && slice.outCount < limit) {
        const chunk = items[taken];
        items[taken++] = undefined;
        this.index++;
        const result = transform.call(transformer, chunk, controller);
        if (result !== undefined && isPromiseLike(result)) {
          slice.promise = result;
          answer = WAITS;
          break;
        }
      }
    } catch (reason) {
      slice.reason = reason;
      answer = FAILED;
    }
    host.collectIn(undefined);
    slice.taken = taken;
    return answer;
  }

  more(): Answer {
    return DONE;
  }

  settle(): void {}

  drop(): void {}

  stop(reason: unknown): void {
    this.#context?.stop(reason);
  }
}
