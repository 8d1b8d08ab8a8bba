import { mayRetry, type RetryPolicy, waitMsAfter } from "../retry_policy.ts";
import type { UnderlyingDefaultSource } from "../web_types.ts";
import { checkOneSource } from "./open_sources.ts";
import type { RetryAttempt, RetryOptions } from "./retry_options.ts";
import { abandonAll, SourceReader } from "./source_reader.ts";
import { watchSignal } from "../watch_signal.ts";

type Controller<T> = ReadableStreamDefaultController<T>;

/** When it opens the source again, and when it ends. */
interface Plan extends RetryPolicy, Pick<RetryOptions, "signal"> {
  readonly totalAttempts: number;
}

/** The underlying source that opens another one as often as it must. */
export class Retrying<T> implements UnderlyingDefaultSource<T> {
  readonly #open: (attempt: RetryAttempt<T>) => unknown;
  readonly #plan: Plan;
  readonly #abort = new AbortController();
  /** While what `open` gave is looked at: if it is not a source, another attempt would not help. */
  #isHopeless = false;
  /** Since the last chunk. */
  #failures = 0;
  #totalFailures = 0;
  #delivered = 0;
  #last: T | undefined;
  #source: SourceReader<unknown> | undefined;
  #unwatch: (() => void) | undefined;
  #ending: { readonly reason: unknown } | undefined;
  #endPull: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(open: (attempt: RetryAttempt<T>) => unknown, plan: Plan) {
    this.#open = open;
    this.#plan = plan;
  }

  pull(controller: Controller<T>): void | Promise<void> {
    const { signal } = this.#plan;
    if (signal !== undefined && this.#unwatch === undefined) {
      const onAbort = (): void => {
        this.#closeAndThrow(signal.reason).catch(() => {});
        controller.error(signal.reason);
      };
      if (signal.aborted) return onAbort();
      this.#unwatch = watchSignal(signal, onAbort);
    }
    return new Promise((resolve) => {
      // A pull ends with the stream, even if something hangs.
      this.#endPull = resolve;
      this.#giveChunk(controller).catch((reason) => {
        if (this.#ending !== undefined) return;
        this.#end(reason);
        controller.error(reason);
      });
    });
  }

  waiting(): string {
    return `its source has ${
      this.#source === undefined ? "not been opened" : "given nothing since"
    }`;
  }

  cancel(reason: unknown): Promise<void> {
    return this.#closeAndThrow(reason);
  }

  /** Gives the next chunk, or the end; rejects if there is no other attempt. */
  async #giveChunk(controller: Controller<T>): Promise<void> {
    while (true) {
      try {
        this.#source ??= await this.#openSource();
        // Cancelled while it was opened.
        if (this.#ending !== undefined) return abandonAll([this.#source], this.#ending.reason);
        const { done, value } = await this.#source.read();
        if (this.#ending !== undefined) return;
        if (done) {
          this.#end(undefined);
          return controller.close();
        }
        this.#failures = 0;
        this.#delivered++;
        controller.enqueue(this.#last = value as T);
        return this.#endPull!();
      } catch (reason) {
        if (this.#ending !== undefined) return;
        this.#source = undefined;
        await this.#recover(reason);
        if (this.#ending !== undefined) return;
      }
    }
  }

  async #openSource(): Promise<SourceReader<unknown>> {
    const source = await this.#open({
      attempt: this.#failures + 1,
      delivered: this.#delivered,
      last: this.#last,
      signal: this.#abort.signal,
    });
    this.#isHopeless = true;
    const found = checkOneSource("retry", source, "what open gives");
    this.#isHopeless = false;
    return new SourceReader(found, "source of retry");
  }

  /** Waits for the next attempt; throws if there is none. */
  async #recover(reason: unknown): Promise<void> {
    if (this.#isHopeless) throw reason;
    this.#failures++;
    if (++this.#totalFailures >= this.#plan.totalAttempts) throw reason;
    if (!await mayRetry(this.#plan, this.#failures, reason)) throw reason;
    if (this.#ending !== undefined) return;
    await new Promise<void>((resolve) => {
      this.#timer = setTimeout(resolve, waitMsAfter(this.#plan, this.#failures));
    });
  }

  async #closeAndThrow(reason: unknown): Promise<void> {
    const source = this.#source;
    this.#end(reason);
    const cancelled = source?.cancel(reason);
    // Afterwards: a body that sees the signal first would fail rather than be cancelled.
    this.#abort.abort(reason);
    await cancelled;
  }

  #end(reason: unknown): void {
    this.#ending = { reason };
    this.#source = undefined;
    clearTimeout(this.#timer);
    this.#unwatch?.();
    this.#endPull?.();
  }
}
