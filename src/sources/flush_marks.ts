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
  #run: FlushableRun | undefined;
  /** Takes what is to be called in the async context of the run. */
  #request!: Deferred<() => void>;
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

  /** To be called by the run that reads the channel: its functions are called in its own async context, not in that of flushNow. */
  async attach(run: FlushableRun): Promise<void> {
    this.#run = run;
    while (this.#run === run) {
      const request = this.#request = createDeferred<() => void>();
      (await request.promise)();
    }
  }

  /** Lets those have their turn that are next. */
  async reach(): Promise<void> {
    this.isFlushing = true;
    while (this.isNext) {
      const { resolve, reject } = this.#marks[0]!;
      try {
        const run = this.#run;
        if (run === undefined) {
          throw new TypeError("Cannot flush now: the stream is not the source of a pipeline");
        }
        await new Promise((resolve) => this.#request.resolve(() => resolve(flushRun(run))));
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
