import { createDeferred } from "../deferred.ts";
import { throwTypeError } from "../errors.ts";
import type { BatchWriter } from "./batch_writer.ts";
import { Condition } from "../condition.ts";
import type { Ledger } from "./ledger.ts";
import type { LeasedMessage } from "./message.ts";
import { MessageOutput } from "./output.ts";

interface SinkOptions {
  readonly batchSize: number;
  readonly maxWaitMs: number;
  /** Stops the consumer. */
  readonly stop: () => void;
}

/** Whether all that a message has given is here or stored, so that its work can still be ended. */
function isWhole(message: LeasedMessage): boolean {
  return message.isComplete && message.arrived === message.outputs;
}

/** Gathers outputs into batches, and ends with the consumer. */
export class StoreSink {
  readonly #ledger: Ledger;
  readonly #writer: BatchWriter;
  readonly #options: SinkOptions;
  readonly #room = new Condition();
  readonly #abandoned = createDeferred<never>();
  #pending: MessageOutput[] = [];
  #signal!: AbortSignal;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether what is here is written though it fills no batch. */
  #isDue = false;
  #isOver = false;

  constructor(ledger: Ledger, writer: BatchWriter, options: SinkOptions) {
    this.#ledger = ledger;
    this.#writer = writer;
    this.#options = options;
    this.#abandoned.promise.catch(() => {});
  }

  start(controller: WritableStreamDefaultController): void {
    this.#writer.onFree = () => this.#writeBatches();
    this.#ledger.onStuck = () => this.#writeAll();
    this.#ledger.onAbandon = (reason) => {
      this.#end();
      this.#abandoned.reject(reason);
      controller.error(reason);
    };
    this.#signal = controller.signal;
    this.#signal.addEventListener("abort", () => this.#room.notifyAll(), { once: true });
  }

  write(output: unknown): void | Promise<void> {
    if (!(output instanceof MessageOutput) || output.message.ledger !== this.#ledger) {
      this.#options.stop();
      void this.#ledger.nackRest();
      throwTypeError("store", "chunk", "an output of this consumer's messages", output);
    }
    // It has failed or was given back meanwhile: all of it comes again.
    if (output.message.phase !== "begun") return;
    output.message.arrived++;
    this.#pending.push(output);
    if (this.#ledger.isStuck) this.#isDue = true;
    this.#writeBatches();
    if (this.#isFull()) {
      return this.#room.until(() => !this.#isFull() || this.#signal.aborted);
    }
  }

  /** Fulfils once all that is here is stored. */
  async written(): Promise<void> {
    await Promise.race([this.#store(), this.#abandoned.promise]);
  }

  /** The end of the messages: fulfils once all are stored and the queue knows it. */
  async close(): Promise<void> {
    await Promise.race([this.#finish(), this.#abandoned.promise]);
  }

  /** The end of the pipeline before its time: messages that are here as a whole are still stored. */
  abort(): Promise<void> {
    this.#pending = this.#pending.filter(({ message }) => isWhole(message));
    return this.close();
  }

  async #finish(): Promise<void> {
    this.#options.stop();
    void this.#ledger.nackRest(isWhole);
    await this.#store();
    void this.#ledger.nackRest();
    await this.#ledger.whenSettled();
    this.#end();
  }

  async #store(): Promise<void> {
    this.#writeAll();
    await this.#room.until(() => this.#pending.length === 0);
    await this.#writer.idle();
  }

  #end(): void {
    this.#isOver = true;
    this.#pending = [];
    clearTimeout(this.#timer);
    this.#room.notifyAll();
  }

  #isFull(): boolean {
    return this.#pending.length >= this.#options.batchSize && !this.#isOver;
  }

  #writeAll(): void {
    this.#isDue = true;
    this.#writeBatches();
  }

  #writeBatches(): void {
    const { batchSize, maxWaitMs } = this.#options;
    const pending = this.#pending;
    while (
      this.#writer.isFree && pending.length > 0 && (this.#isDue || pending.length >= batchSize)
    ) void this.#writer.write(pending.splice(0, batchSize));
    if (pending.length === 0) {
      this.#isDue = false;
      clearTimeout(this.#timer);
      this.#timer = undefined;
    } else if (!this.#isDue) {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#writeAll();
      }, maxWaitMs);
    }
    if (!this.#isFull()) this.#room.notifyAll();
  }
}
