import type { Open, Operation } from "./operation.ts";
import { AbortableContext } from "./stage_context.ts";

type Controller = TransformStreamDefaultController<unknown>;

/** An operator's work in one stream. */
interface Opened {
  readonly operation: Operation<unknown>;
  readonly context: AbortableContext;
}

/** One reading of `start` and `cancel`, and the streams that were begun with it: one, unless the dictionary was copied. */
class Reading {
  hasStart = false;
  hasCancel = false;
  isUsed = false;
  readonly #streams = new Set<Opened>();
  #isShared = false;

  add(opened: Opened): void {
    const streams = this.#streams;
    this.isUsed = true;
    streams.add(opened);
    this.#isShared ||= streams.size > 1;
    const { ended } = opened.operation;
    const forget = () => streams.delete(opened);
    if (ended !== undefined) ended.then(forget, forget);
    // Those that cannot doubt are not kept, since none would ever be cancelled.
    else if (this.#isShared) {
      for (const { operation } of streams) operation.hearNothing?.();
      streams.clear();
    }
  }

  cancel(reason: unknown): unknown {
    const [opened] = this.#streams;
    if (this.#streams.size === 1) return cancelOperation(opened!, reason);
    // Of several none is cancelled wrongly.
    for (const { operation } of this.#streams) operation.doubt?.();
  }
}

function cancelOperation({ operation, context }: Opened, reason: unknown): unknown {
  context.stop(reason);
  return operation.cancel?.(reason);
}

/**
 * The operations of one dictionary, one for each stream. A stream is known by its controller, which all methods are
 * given but `cancel`. So `start` and `cancel` are made each time they are read: a stream reads each once, one soon
 * after the other, in any order.
 */
export class StreamOperations {
  readonly #open: Open<unknown, unknown>;
  readonly #streams = new WeakMap<object, Opened>();
  #lastController: Controller | undefined;
  #lastOperation!: Operation<unknown>;
  #reading = new Reading();
  #lastCancel = this.#reading;

  constructor(open: Open<unknown, unknown>) {
    this.#open = open;
  }

  /** The operation in the stream that has this controller. */
  of(controller: Controller): Operation<unknown> {
    if (controller === this.#lastController) return this.#lastOperation;
    const { operation } = this.#streams.get(controller) ?? this.#begin(controller);
    this.#lastController = controller;
    return this.#lastOperation = operation;
  }

  /** To be answered by `get start()`. */
  readStart(): (controller: Controller) => void {
    if (this.#reading.hasStart) this.#reading = new Reading();
    const reading = this.#reading;
    reading.hasStart = true;
    return (controller) => void this.#begin(controller, reading);
  }

  /** To be answered by `get cancel()`. */
  readCancel(): (reason: unknown) => unknown {
    if (this.#reading.hasCancel) this.#reading = new Reading();
    const reading = this.#lastCancel = this.#reading;
    reading.hasCancel = true;
    return (reason) => reading.cancel(reason);
  }

  #begin(controller: Controller, reading?: Reading): Opened {
    const context = new AbortableContext();
    const opened: Opened = { operation: this.#open(controller, context), context };
    this.#streams.set(controller, opened);
    if (reading === undefined) opened.operation.hearNothing?.();
    else reading.add(opened);
    // If other code has read `cancel` alone before, the last one read is the stream's.
    if (!this.#lastCancel.isUsed) this.#lastCancel.add(opened);
    return opened;
  }
}
