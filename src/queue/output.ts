import type { LeasedMessage, Message } from "./message.ts";

/** One thing that a message has come to, for the store. */
export interface Output<O = unknown> {
  /** The same whenever the same output of the same message is made again: what makes a repeat harmless. */
  readonly key: string;
  /** What the stages made. */
  readonly value: O;
  /** Which output of its message it is, counted from 0. */
  readonly index: number;
  /** The message it was made of. */
  readonly message: Message;
}

/** An output, as `perMessage` makes it. */
export class MessageOutput<O = unknown> implements Output<O> {
  readonly message: LeasedMessage;
  readonly value: O;
  readonly index: number;

  constructor(message: LeasedMessage, value: O) {
    this.message = message;
    this.value = value;
    this.index = message.outputs++;
  }

  get key(): string {
    return `${this.message.delivery.id}/${this.index}`;
  }
}
