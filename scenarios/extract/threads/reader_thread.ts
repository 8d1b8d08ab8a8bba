import { Worker } from "node:worker_threads";
import { BadRowError } from "../bad_row_error.ts";
import type { Piece } from "../piece.ts";
import type { SkippedReason } from "../skipped.ts";
import type { Span } from "../span.ts";
import type { FromThread, ThreadSettings, ToThread } from "./thread_messages.ts";

/** How a part ended that another thread read. */
export interface PartEnd {
  /** Rows that were read, written or skipped. */
  readonly read: number;
  readonly skipped: readonly SkippedReason[];
  /** How long the thread had to wait for this one, in milliseconds. */
  readonly stalledMs: number;
  /** How long this one had to wait for the thread, in milliseconds. */
  readonly waitedMs: number;
}

function toError({ message, code, badRow }: FromThread & { kind: "failure" }): Error {
  const error = badRow === undefined ? new Error(message) : new BadRowError(...badRow);
  return code === undefined ? error : Object.assign(error, { code });
}

/** A thread with a connection of its own, which reads parts and makes bytes of them. */
export class ReaderThread {
  readonly #worker: Worker;
  readonly #messages: FromThread[] = [];
  #failure: { readonly reason: unknown } | undefined;
  #wake = () => {};

  constructor(settings: ThreadSettings) {
    this.#worker = new Worker(new URL("./read_thread.ts", import.meta.url), {
      workerData: settings,
      // As small a young generation as the command has itself.
      resourceLimits: { maxYoungGenerationSizeMb: 2 },
    });
    this.#worker.on("message", (message: FromThread) => {
      this.#messages.push(message);
      this.#wake();
    });
    this.#worker.on("error", (reason) => this.#fail(reason));
    this.#worker.on("exit", () => this.#fail(new Error("a thread that reads has ended")));
  }

  /** Waits until it can begin; fails if it cannot open the source. */
  async open(): Promise<void> {
    const message = await this.#next();
    if (message.kind === "failure") throw toError(message);
  }

  /** Has it read `part`, after those it was given before. */
  deal(part: Span): void {
    this.#tell({ part });
  }

  /**
   * Passes on what it has made of the earliest part that is still to be taken; it makes no more than it may be
   * ahead until the pieces are released.
   */
  async *take(): AsyncGenerator<Piece, PartEnd> {
    let waitedMs = 0;
    while (true) {
      const startedAtMs = performance.now();
      const message = await this.#next();
      waitedMs += performance.now() - startedAtMs;
      if (message.kind === "failure") throw toError(message);
      if (message.kind === "end") return { ...message, waitedMs };
      if (message.kind === "ready") continue;
      const { length: writtenBytes, buffer: memory } = message.text;
      yield { ...message, release: () => this.#tell({ writtenBytes, memory }, [memory]) };
    }
  }

  /** Ends it, whatever it does; resolves once its connection is closed. */
  async close(): Promise<void> {
    this.#fail(new Error("the threads that read were closed"));
    await this.#worker.terminate();
  }

  async #next(): Promise<FromThread> {
    while (this.#messages.length === 0) {
      if (this.#failure !== undefined) throw this.#failure.reason;
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
    return this.#messages.shift()!;
  }

  #tell(message: ToThread, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  #fail(reason: unknown): void {
    this.#failure ??= { reason };
    this.#wake();
  }
}
