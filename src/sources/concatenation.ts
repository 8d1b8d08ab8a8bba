import type { UnderlyingDefaultSource } from "../web_types.ts";
import { checkOneSource, nameOfArgument, sourcesOf } from "./open_sources.ts";
import { abandonAll, cancelAll, describePending, SourceReader } from "./source_reader.ts";

type Controller<T> = ReadableStreamDefaultController<T>;
type Opener = () => unknown;

const nameOf = sourcesOf("concat");

/** The underlying source that reads one source after the other. */
export class Concatenation<T> implements UnderlyingDefaultSource<T> {
  readonly #action: string;
  /** In reverse, so that the next is the last. */
  readonly #waiting: (SourceReader<unknown> | Opener)[];
  readonly #count: number;
  #current: SourceReader<unknown> | undefined;
  #ending: { readonly reason: unknown } | undefined;

  constructor(action: string, sources: readonly (SourceReader<unknown> | Opener)[]) {
    this.#action = action;
    this.#count = sources.length;
    this.#waiting = [...sources].reverse();
  }

  start(controller: Controller<T>): void {
    if (this.#count === 0) controller.close();
  }

  async pull(controller: Controller<T>): Promise<void> {
    try {
      while (true) {
        this.#current ??= await this.#openNext();
        // Cancelled while it was opened.
        if (this.#ending !== undefined) return abandonAll(this.#takeOpen(), this.#ending.reason);
        if (this.#current === undefined) return controller.close();
        const { done, value } = await this.#current.read();
        if (this.#ending !== undefined) return;
        if (!done) return controller.enqueue(value as T);
        this.#current = undefined;
      }
    } catch (reason) {
      if (this.#ending !== undefined) return;
      this.#ending = { reason };
      abandonAll(this.#takeOpen(), reason);
      controller.error(reason);
    }
  }

  cancel(reason: unknown): Promise<void> {
    this.#ending = { reason };
    return cancelAll(this.#takeOpen(), reason);
  }

  waiting(): string {
    const at = this.#count - this.#waiting.length;
    return this.#current === undefined
      ? `source ${at} of concat has not been opened`
      : describePending([this.#current])!;
  }

  async #openNext(): Promise<SourceReader<unknown> | undefined> {
    const index = this.#count - this.#waiting.length;
    const next = this.#waiting.pop();
    if (typeof next !== "function") return next;
    const source = await next();
    const found = checkOneSource(this.#action, source, `what ${nameOfArgument(index)} opens`);
    return new SourceReader(found, nameOf(index));
  }

  #takeOpen(): SourceReader<unknown>[] {
    const open = this.#waiting.splice(0).filter((source) => typeof source !== "function");
    return this.#current === undefined ? open : [this.#current, ...open.reverse()];
  }
}
