import { noteFailure } from "../engine/note_failure.ts";
import type { RunPlace } from "../engine/run_failure.ts";
import { NONE, type OneKernel, WAIT } from "../kernels/kernel.ts";
import type { MessageWork, RunHost } from "./run_host.ts";
import type { LeasedMessage } from "./message.ts";

/** A message's walk through operators of one to one alone, which need no engine. */
export class KernelRun implements MessageWork {
  isEnded = false;
  readonly #host: RunHost;
  readonly #place: RunPlace;
  readonly #makers: readonly (() => OneKernel)[];
  readonly #kernels: OneKernel[];
  #message!: LeasedMessage;
  #begun = 0;

  constructor(host: RunHost, makers: readonly (() => OneKernel)[], place: RunPlace) {
    this.#host = host;
    this.#place = place;
    this.#makers = makers;
    this.#kernels = new Array(makers.length);
  }

  /** Begins, with kernels of the message's own. Mostly that is also the end: then another may be begun. */
  start(message: LeasedMessage): void {
    this.isEnded = false;
    this.#message = message;
    this.#begun = 0;
    this.#walk(message.body);
  }

  /** It is no longer wanted: the signals that its functions have abort, even if something hangs. */
  cancel(reason: unknown): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.#stop(this.#begun, reason);
  }

  #stop(count: number, reason: unknown): void {
    for (let index = 0; index < count; index++) this.#kernels[index]!.stop(reason);
  }

  #walk(chunk: unknown): void {
    const makers = this.#makers;
    let isGiving = false;
    try {
      while (this.#begun < makers.length) {
        const kernel = makers[this.#begun]!();
        this.#kernels[this.#begun++] = kernel;
        const result = kernel.one(chunk);
        if (result === NONE) return this.#end();
        if (result === WAIT) return this.#wait(kernel, chunk);
        chunk = result;
      }
      isGiving = true;
      const room = this.#host.give(this.#message, chunk);
      if (room === undefined) this.#end();
      else room.then(() => this.#end());
    } catch (reason) {
      if (!isGiving) this.#note(reason);
      this.#fail(reason);
    }
  }

  #wait(kernel: OneKernel, chunk: unknown): void {
    Promise.resolve(kernel.takePromise()).then((value) => {
      if (this.isEnded) return;
      const settled = kernel.settle(value, chunk);
      if (settled === NONE) this.#end();
      else this.#walk(settled);
    }).catch((reason) => {
      this.#note(reason);
      this.#fail(reason);
    });
  }

  /** The stage that was begun last has failed with the message's body, or with what was made of that. */
  #note(reason: unknown): void {
    noteFailure(reason, this.#place, "stage", {
      index: this.#begun - 1,
      chunkIndex: 0,
    });
  }

  #fail(reason: unknown): void {
    if (this.isEnded) return;
    this.isEnded = true;
    // What those before it have begun is not wanted any more.
    this.#stop(this.#begun - 1, reason);
    this.#host.end(this, this.#message, { failed: true, reason });
  }

  #end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.#host.end(this, this.#message, done);
  }
}

const done = { failed: false } as const;
