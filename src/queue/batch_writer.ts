import { InFlight } from "../in_flight.ts";
import { Backoff } from "./retry_until_done.ts";
import { isKnownOutage } from "./is_known_outage.ts";
import type { Ledger } from "./ledger.ts";
import type { MessageOutput, Output } from "./output.ts";

type Save = (outputs: readonly Output[], context: { readonly signal: AbortSignal }) => unknown;

interface WriterOptions {
  readonly concurrency: number;
  readonly isOutage: ((reason: unknown) => boolean | undefined) | undefined;
}

/** What one batch has gone through. */
interface Trial {
  /** When each output first failed, alone or in company: by the count of writes. */
  readonly failedAt: Map<MessageOutput, number>;
  /** How often each has failed alone. */
  readonly failures: Map<MessageOutput, number>;
  /** What is left to be tried again. */
  rest: MessageOutput[];
}

/** After so many tries a message that has failed before is taken at its word though nothing else was stored. */
const patientTries = 3;

function isLive({ message }: MessageOutput): boolean {
  return message.phase === "begun";
}

/** Writes batches, several at a time, and finds out whose fault it is when one fails: a message's or the store's. */
export class BatchWriter {
  readonly #ledger: Ledger;
  readonly #save: Save;
  readonly #options: WriterOptions;
  readonly #writes: InFlight;
  /** Called when there is a free place. */
  onFree: () => void = () => {};
  #batches = 0;
  /** Batches that wait and have a message which was never found to be at fault: then it may well be the store. */
  #innocent = 0;
  /** Batches that wait for a place to be tried again: they come first. */
  #queued = 0;
  /** Writes begun and failures seen, which puts them in order. */
  #clock = 0;
  /** When the latest write that succeeded was begun. */
  #lastGood = -1;

  constructor(ledger: Ledger, save: Save, options: WriterOptions) {
    this.#ledger = ledger;
    this.#save = save;
    this.#options = options;
    this.#writes = new InFlight(options.concurrency);
  }

  /** Whether a batch may be written now. */
  get isFree(): boolean {
    return this.#writes.count + this.#queued < this.#writes.limit;
  }

  /** Fulfils once no batch is in work. */
  idle(): Promise<void> {
    return this.#writes.until(() => this.#batches === 0);
  }

  /** Writes one batch, until each of its outputs is stored or its message has failed; never rejects. */
  async write(outputs: readonly MessageOutput[]): Promise<void> {
    const { end } = this.#ledger;
    const backoff = new Backoff();
    const trial: Trial = { failedAt: new Map(), failures: new Map(), rest: [...outputs] };
    this.#batches++;
    this.#writes.begin();
    while (true) {
      const { rest } = trial;
      trial.rest = [];
      const goodBefore = this.#lastGood;
      await this.#tryAll(rest, trial);
      if (trial.rest.length === 0 || end.aborted) break;
      // Something was stored meanwhile, so that what fails again is to blame.
      if (this.#lastGood > goodBefore) continue;
      // Who waits leaves its place to others: if they are stored, it is not the store that fails.
      this.#leave();
      const isInnocent = trial.rest.some(({ message }) => message.failures === 0);
      if (isInnocent) this.#innocent++;
      await backoff.pause(end);
      if (isInnocent) this.#innocent--;
      this.#queued++;
      while (this.#writes.isFull) await this.#writes.wait();
      this.#queued--;
      this.#writes.begin();
    }
    this.#batches--;
    this.#leave();
  }

  #leave(): void {
    this.#writes.end();
    this.onFree();
  }

  async #tryAll(outputs: readonly MessageOutput[], trial: Trial): Promise<void> {
    const ledger = this.#ledger;
    // A message that has failed by another of its outputs comes again as a whole.
    const live = outputs.every(isLive) ? outputs : outputs.filter(isLive);
    if (live.length === 0 || ledger.end.aborted) return;
    const begunAt = this.#clock++;
    try {
      await this.#save(live, { signal: ledger.end });
    } catch (reason) {
      return await this.#judge(live, reason, begunAt, trial);
    }
    this.#lastGood = Math.max(this.#lastGood, begunAt);
    ledger.recovery("store");
    ledger.store(live.map(({ message }) => message));
  }

  /** Halves what has failed, and blames a message if something else was stored between two of its failures. */
  async #judge(
    live: readonly MessageOutput[],
    reason: unknown,
    begunAt: number,
    trial: Trial,
  ): Promise<void> {
    const verdict = this.#isOutage(reason);
    if (verdict === true) {
      this.#ledger.outage("store", reason);
      for (const output of live) trial.rest.push(output);
      return;
    }
    if (live.length > 1) {
      this.#note(live, trial);
      const middle = live.length >> 1;
      await this.#tryAll(live.slice(0, middle), trial);
      return await this.#tryAll(live.slice(middle), trial);
    }
    const output = live[0]!;
    const { message } = output;
    const before = trial.failedAt.get(output) ?? Infinity;
    const hasWorked = before < this.#lastGood && this.#lastGood < begunAt;
    const failures = (trial.failures.get(output) ?? 0) + 1;
    // It was found to be at fault before, and now fails again and again while only its like do.
    const isNotorious = message.failures > 0 && failures >= patientTries && this.#innocent === 0;
    if (verdict === false || hasWorked || isNotorious) return this.#ledger.fail(message, reason);
    // Otherwise it may be the store.
    this.#note(live, trial);
    trial.failures.set(output, failures);
    trial.rest.push(output);
    if (failures > 1) this.#ledger.outage("store", reason);
  }

  #isOutage(reason: unknown): boolean | undefined {
    let verdict: boolean | undefined;
    try {
      verdict = this.#options.isOutage?.(reason);
    } catch {
      // It does not know this reason.
    }
    return verdict ?? isKnownOutage(reason);
  }

  #note(outputs: readonly MessageOutput[], { failedAt }: Trial): void {
    const now = this.#clock++;
    for (const output of outputs) if (!failedAt.has(output)) failedAt.set(output, now);
  }
}
