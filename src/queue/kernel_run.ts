import { NONE, type OneKernel, WAIT } from "../kernels/kernel.ts";
import type { RunHost } from "./run_host.ts";
import type { LeasedMessage } from "./message.ts";

/** One message's walk through operators of one to one alone, which need no engine. */
export class KernelRun {
  isEnded = false;
  readonly #host: RunHost;
  readonly #message: LeasedMessage;
  readonly #makers: readonly (() => OneKernel)[];
  readonly #kernels: OneKernel[] = [];

  constructor(host: RunHost, message: LeasedMessage, makers: readonly (() => OneKernel)[]) {
    this.#host = host;
    this.#message = message;
    this.#makers = makers;
  }

  /** Begins; mostly that is also the end. */
  start(): void {
    this.#walk(this.#message.body);
  }

  /** It is no longer wanted: the signals that its functions have abort, whatever hangs. */
  cancel(reason: unknown): void {
    if (this.isEnded) return;
    this.isEnded = true;
    for (const kernel of this.#kernels) kernel.stop(reason);
  }

  #walk(chunk: unknown): void {
    const makers = this.#makers;
    const kernels = this.#kernels;
    try {
      while (kernels.length < makers.length) {
        const kernel = makers[kernels.length]!();
        kernels.push(kernel);
        const result = kernel.one(chunk);
        if (result === NONE) return this.#end();
        if (result === WAIT) return this.#wait(kernel, chunk);
        chunk = result;
      }
      const room = this.#host.give(this.#message, chunk);
      if (room === undefined) this.#end();
      else room.then(() => this.#end());
    } catch (reason) {
      this.#fail(reason);
    }
  }

  #wait(kernel: OneKernel, chunk: unknown): void {
    Promise.resolve(kernel.takePromise()).then((value) => {
      if (this.isEnded) return;
      const settled = kernel.settle(value, chunk);
      if (settled === NONE) this.#end();
      else this.#walk(settled);
    }).catch((reason) => this.#fail(reason));
  }

  #fail(reason: unknown): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.#host.end(this, this.#message, { failed: true, reason });
  }

  #end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.#host.end(this, this.#message, done);
  }
}

const done = { failed: false } as const;
