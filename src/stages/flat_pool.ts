import type { Operation, OperationContext } from "../kernels/operation.ts";
import type { StageFunction } from "../kernels/function_kernel.ts";
import { InnerSources } from "./inner_sources.ts";

/** What is read of one chunk. */
interface Slot {
  /** There while it waits for its turn. */
  onTurn: (() => void) | undefined;
}

/** What `flatMap` with `concurrency` does in one stream. */
export class FlatPool implements Operation<unknown> {
  readonly #fn: StageFunction;
  readonly #concurrency: number;
  readonly #ordered: boolean;
  readonly #context: OperationContext;
  readonly #inner: InnerSources;
  /** In the order of the chunks. */
  readonly #slots = new Set<Slot>();
  #index = 0;

  constructor(
    fn: StageFunction,
    { concurrency, ordered }: { readonly concurrency: number; readonly ordered: boolean },
    controller: TransformStreamDefaultController<unknown>,
    context: OperationContext,
  ) {
    this.#fn = fn;
    this.#concurrency = concurrency;
    this.#ordered = ordered;
    this.#context = context;
    this.#inner = new InnerSources("flatten a chunk", controller, context);
  }

  transform(chunk: unknown): Promise<void> {
    const slot: Slot = { onTurn: undefined };
    this.#slots.add(slot);
    void this.#run(chunk, slot);
    return this.#inner.until(() => this.#slots.size < this.#concurrency);
  }

  flush(): Promise<void> {
    return this.#inner.until(() => this.#slots.size === 0);
  }

  drain(): Promise<void> {
    return this.flush();
  }

  cancel(): Promise<void> {
    return this.#inner.stop();
  }

  async #run(chunk: unknown, slot: Slot): Promise<void> {
    try {
      const result = this.#fn(chunk, this.#index++, this.#context);
      await this.#inner.read(result, (chunk) => this.#give(chunk, slot));
    } catch (reason) {
      // With an order, it fails when all before it have been passed on.
      if (!this.#isFirst(slot)) await this.#turnOf(slot);
      return this.#inner.fail(reason);
    }
    this.#slots.delete(slot);
    if (this.#ordered) {
      for (const first of this.#slots) {
        first.onTurn?.();
        break;
      }
    }
    this.#inner.notify();
  }

  #give(chunk: unknown, slot: Slot): void | Promise<void> {
    if (this.#isFirst(slot)) return this.#inner.give(chunk);
    return this.#turnOf(slot).then(() => this.#inner.give(chunk));
  }

  #isFirst(slot: Slot): boolean {
    if (!this.#ordered) return true;
    for (const first of this.#slots) return first === slot;
    return true;
  }

  /** Never, if all is over before. */
  #turnOf(slot: Slot): Promise<void> {
    return new Promise((resolve) => slot.onTurn = resolve);
  }
}
