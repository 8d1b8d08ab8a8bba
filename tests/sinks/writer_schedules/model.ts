import { errorOfCall, type Plan } from "./scene.ts";

interface Failure {
  readonly error: unknown;
}

/** What is asked of a stream from outside, or how a call of the scene is settled. */
export type Step =
  | { readonly does: "write" }
  | { readonly does: "close" }
  | { readonly does: "abort" }
  | { readonly does: "fulfil" | "reject"; readonly call: string };

/**
 * What a `WritableStream` over `writer` should do, step by step, each after all that the one before led to: written from
 * the docs and the standard, without a look at the sink.
 */
export class Model {
  readonly #plan: Plan;
  readonly calls: string[] = [];
  /** How the promises that were given out have settled. */
  readonly settled = new Set<string>();
  #asked = 0;
  /** Writes that the stream keeps. */
  readonly #queue: string[] = [];
  /** What the stream waits for: a write that wants room, or the close. */
  #current: string | undefined;
  #isCloseAsked = false;
  #aborted: { readonly reason: unknown; isWaiting: boolean } | undefined;
  #begun = 0;
  readonly #inFlight = new Set<string>();
  #failure: Failure | undefined;
  #isEnding = false;
  #isReleased = false;
  isOver = false;

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  take(step: Step): void {
    switch (step.does) {
      case "write":
        this.#queue.push(`written ${this.#asked++}`);
        break;
      case "close":
        this.#isCloseAsked = true;
        break;
      case "abort":
        this.#aborted = { reason: "stop", isWaiting: true };
        this.#signal("stop");
        break;
      default: {
        const failure = step.does === "reject" ? { error: errorOfCall(step.call) } : undefined;
        this.#onSettled(step.call, failure);
      }
    }
    this.#goOn();
  }

  #say(promise: string, failure?: Failure): void {
    this.settled.add(
      failure === undefined ? promise : `${promise} failed: ${String(failure.error)}`,
    );
  }

  #signal(reason: unknown): void {
    if (this.#begun === 0 || this.calls.some((call) => call.startsWith("signal"))) return;
    this.calls.push(`signal ${String(reason)}`);
  }

  #answer(failure?: Failure): void {
    if (this.#current !== undefined) this.#say(this.#current, failure);
    this.#current = undefined;
  }

  /** Calls a function of the user's, whose end may come at once. */
  #call(call: string): void {
    this.calls.push(call);
    const kind = this.#plan.kindOf(call);
    this.#inFlight.add(call);
    if (kind === "now") this.#onSettled(call, undefined);
    else if (kind !== "later") this.#onSettled(call, { error: errorOfCall(call) });
  }

  #onSettled(call: string, failure: Failure | undefined): void {
    this.#inFlight.delete(call);
    if (!call.startsWith("write")) {
      this.#failure ??= failure;
      return;
    }
    if (failure !== undefined && this.#failure === undefined && this.#aborted === undefined) {
      this.#failure = failure;
      this.#signal(failure.error);
      return;
    }
    // Aborted, but the stream waits for what the sink says of the last write.
    const waitsForRoom = this.#current?.startsWith("written") && this.#failure === undefined;
    if (waitsForRoom) this.#answer(failure);
  }

  #goOn(): void {
    while (this.#moves());
  }

  /** Does the next thing that follows by itself, and tells whether there was one. */
  #moves(): boolean {
    if (this.isOver) return false;
    if (this.#aborted?.isWaiting && this.#current === undefined) {
      this.#aborted.isWaiting = false;
      this.#dropQueue({ error: this.#aborted.reason });
      this.#current = "aborted";
      return true;
    }
    if (this.#current === undefined && this.#aborted === undefined) {
      if (this.#queue.length > 0) {
        this.#takeWrite(this.#queue.shift()!);
        return true;
      }
      if (this.#isCloseAsked) {
        this.#current = "closed by us";
        return true;
      }
    }
    const isLast = this.#failure !== undefined || this.#current === "closed by us" ||
      this.#current === "aborted";
    return isLast && this.#inFlight.size === 0 && this.#ends();
  }

  #takeWrite(promise: string): void {
    this.#current = promise;
    if (this.#failure !== undefined) return;
    const call = `write ${this.#begun++}`;
    const isRejecting = this.#plan.kindOf(call) === "rejects";
    if (isRejecting) {
      this.calls.push(call);
      this.#inFlight.add(call);
    } else this.#call(call);
    const hasRoom = this.#inFlight.size < this.#plan.concurrency;
    if (hasRoom && this.#failure === undefined) this.#answer();
    // It was in flight for a moment, and took its room.
    if (isRejecting) this.#onSettled(call, { error: errorOfCall(call) });
  }

  #ends(): boolean {
    if (!this.#isEnding) {
      this.#isEnding = true;
      if (this.#failure !== undefined) return true;
      if (this.#aborted !== undefined) {
        if (this.#current === "closed by us") this.#failure = { error: this.#aborted.reason };
        this.#call(`abort ${String(this.#aborted.reason)}`);
      } else this.#call("close");
      return true;
    }
    if (!this.#isReleased) {
      this.#isReleased = true;
      if (this.#plan.release !== "absent") this.#call("release");
      return true;
    }
    this.#finish();
    return false;
  }

  /** The stream hears how it went. */
  #finish(): void {
    this.isOver = true;
    const failure = this.#failure;
    const wasClosing = this.#current === "closed by us";
    this.#answer(failure);
    if (this.#aborted?.isWaiting) this.#say("aborted", failure);
    const stored = this.#aborted !== undefined && !(wasClosing && failure === undefined)
      ? { error: this.#aborted.reason }
      : failure;
    this.#dropQueue(stored);
    if (this.#isCloseAsked && !wasClosing) this.#say("closed by us", stored);
    this.#say("closed", stored);
  }

  #dropQueue(failure: Failure | undefined): void {
    for (const promise of this.#queue.splice(0)) this.#say(promise, failure);
  }
}
