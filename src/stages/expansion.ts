import { Fifo } from "../fifo.ts";
import { InFlight } from "../in_flight.ts";
import type { StageFunction } from "../kernels/function_kernel.ts";
import type { Operation, OperationContext } from "../kernels/operation.ts";
import { InnerSources } from "./inner_sources.ts";
import { type DistinctPlan, KnownKeys } from "./known_keys.ts";
import { thenUse } from "./then_use.ts";

/** What `expand` was given. */
export interface ExpansionPlan {
  readonly fn: StageFunction;
  readonly concurrency: number;
  readonly maxPending: number;
  readonly distinct: DistinctPlan | undefined;
}

const action = "expand a chunk";

/** What `expand` does in one stream. */
export class Expansion implements Operation<unknown> {
  readonly #plan: ExpansionPlan;
  readonly #context: OperationContext;
  readonly #inner: InnerSources;
  readonly #known: KnownKeys | undefined;
  /** Chunks for which the function has not been called yet. */
  readonly #pending = new Fifo();
  readonly #calls: InFlight;
  #index = 0;
  #found = 0;

  constructor(
    plan: ExpansionPlan,
    controller: TransformStreamDefaultController<unknown>,
    context: OperationContext,
  ) {
    this.#plan = plan;
    this.#context = context;
    this.#calls = new InFlight(plan.concurrency);
    this.#inner = new InnerSources(action, controller, context);
    if (plan.distinct !== undefined) this.#known = new KnownKeys(action, plan.distinct);
  }

  async transform(chunk: unknown): Promise<void> {
    await this.#take(chunk);
    this.#start();
    await this.#inner.until(() => this.#pending.length === 0 && !this.#calls.isFull);
  }

  flush(): Promise<void> {
    return this.#inner.until(() => this.#pending.length === 0 && this.#calls.count === 0);
  }

  drain(): Promise<void> {
    return this.flush();
  }

  cancel(): Promise<void> {
    return this.#inner.stop();
  }

  /** Passes a chunk on, and keeps it for the function, if it is new. */
  #take(chunk: unknown): void | Promise<void> {
    const { distinct } = this.#plan;
    if (distinct === undefined) return this.#add(chunk);
    return thenUse(distinct.key(chunk, this.#found++, this.#context), (key) => {
      if (this.#known!.add(key)) this.#add(chunk);
    });
  }

  #add(chunk: unknown): void {
    const { maxPending } = this.#plan;
    this.#inner.give(chunk);
    if (this.#pending.length >= maxPending) {
      throw new RangeError(`Cannot ${action}: more than ${maxPending} chunks are pending`);
    }
    this.#pending.push(chunk);
    this.#start();
  }

  #start(): void {
    while (!this.#inner.isOver && !this.#calls.isFull && this.#pending.length > 0) {
      this.#calls.begin();
      void this.#call(this.#pending.shift());
    }
  }

  async #call(chunk: unknown): Promise<void> {
    try {
      const result = this.#plan.fn(chunk, this.#index++, this.#context);
      await this.#inner.read(result, (chunk) => this.#take(chunk));
    } catch (reason) {
      return this.#inner.fail(reason);
    }
    this.#calls.end();
    this.#start();
    this.#inner.notify();
  }
}
