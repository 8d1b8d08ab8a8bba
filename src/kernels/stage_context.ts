import type { OperationTurn } from "./split_in_turns.ts";

/** The last argument of the functions given to stages. */
export interface StageContext {
  /** Aborts with the reason when the stream is cancelled or aborted before its end. */
  readonly signal: AbortSignal;
}

/** A context whose signal is made only when it is asked for. */
export class AbortableContext implements StageContext {
  /** When the event loop must have its turn, if the engine says. */
  readonly turn: OperationTurn | undefined;
  #controller: AbortController | undefined;
  #stopped: { readonly reason: unknown } | undefined;
  readonly #parent: (() => AbortSignal | undefined) | undefined;

  /** `parent` gives a signal that aborts this one's, too. */
  constructor(parent?: () => AbortSignal | undefined, turn?: OperationTurn) {
    this.#parent = parent;
    this.turn = turn;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      this.#follow(this.#parent?.());
      if (this.#stopped !== undefined) this.#controller.abort(this.#stopped.reason);
    }
    return this.#controller.signal;
  }

  /** Aborts the signal, once. */
  stop(reason: unknown): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = { reason };
    this.#controller?.abort(reason);
  }

  #follow(signal: AbortSignal | undefined): void {
    if (signal?.aborted) this.stop(signal.reason);
    else signal?.addEventListener("abort", () => this.stop(signal.reason), { once: true });
  }
}
