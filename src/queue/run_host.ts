import type { Ending } from "../engine/ports.ts";
import type { LeasedMessage } from "./message.ts";

/** One message in work. */
export interface MessageWork {
  readonly isEnded: boolean;
  /** Begins; often that is also the end. */
  start(message: LeasedMessage): void;
  /** It is no longer wanted: it stops, even if something hangs. */
  cancel(reason: unknown): void;
}

/** Who a message is in work for. */
export interface RunHost {
  /** Takes an output; a promise tells when the next may come. What it throws ends the work. */
  give(message: LeasedMessage, value: unknown): Promise<void> | undefined;
  /** The work is over: all is given, or it has failed. Called once, and not after it was cancelled. */
  end(work: MessageWork, message: LeasedMessage, ending: Ending): void;
}
