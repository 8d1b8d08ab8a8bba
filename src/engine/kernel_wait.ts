/** What waits asks. */
export interface WaitHost<Stage> {
  settle(stage: Stage, value: unknown, chunk: unknown): void;
  failWait(stage: Stage, reason: unknown): void;
}

/** What is done once a promise of a stage's kernel settles; made once for each stage that waits: a wait costs no closure. */
export class KernelWait<Stage> {
  /** What the kernel makes the promise's chunk of. */
  chunk: unknown = undefined;
  readonly #stage: Stage;
  readonly #host: WaitHost<Stage>;

  constructor(stage: Stage, host: WaitHost<Stage>) {
    this.#stage = stage;
    this.#host = host;
  }

  readonly onFulfilled = (value: unknown): void => {
    const { chunk } = this;
    this.chunk = undefined;
    this.#host.settle(this.#stage, value, chunk);
  };

  readonly onRejected = (reason: unknown): void => {
    this.chunk = undefined;
    this.#host.failWait(this.#stage, reason);
  };
}
