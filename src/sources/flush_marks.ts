import { createDeferred, type Deferred } from "../deferred.ts";
import { type FlushableRun, flushRun } from "../pipeline/flush_run.ts";

/** Someone who wants all passed on that was sent before. */
interface Mark extends Deferred<void> {
  /** How many chunks were sent before it. */
  readonly after: number;
}

/** Where among the chunks of a channel all that was sent before is to be passed on. */
export class FlushMarks {
  readonly #marks: Mark[] = [];
  /** Chunks that were accepted, and those of them that were given or dropped. */
  sent = 0;
  gone = 0;
  /** The run that reads the channel, if one does. */
  run: FlushableRun | undefined;
  /** From `reach` on, until the channel goes on: nothing may be given meanwhile. */
  isFlushing = false;

  /** Whether all that was sent before the first one is gone. */
  get isNext(): boolean {
    return this.#marks.length > 0 && this.#marks[0]!.after <= this.gone;
  }

  /** Adds one; fulfils once the sink has taken what was sent before. */
  add(): Promise<void> {
    const mark: Mark = { ...createDeferred<void>(), after: this.sent };
    mark.promise.catch(() => {});
    this.#marks.push(mark);
    return mark.promise;
  }

  /** Lets those have their turn that are next. */
  async reach(): Promise<void> {
    this.isFlushing = true;
    while (this.isNext) {
      const { resolve, reject } = this.#marks[0]!;
      try {
        if (this.run === undefined) {
          throw new TypeError("Cannot flush now: the stream is not the source of a pipeline");
        }
        await flushRun(this.run);
        resolve();
      } catch (reason) {
        reject(reason);
      }
      this.#marks.shift();
    }
  }

  /** Nothing can be flushed any more. */
  drop(reason: unknown): void {
    for (const { reject } of this.#marks.splice(0)) reject(reason);
  }
}
