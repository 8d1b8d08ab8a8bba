import type { Message } from "./message.ts";

/** Something that an operator may want to know of a consumer. */
export type ConsumerEvent =
  /** The broker or the store cannot be used; what was to be done is tried again until it can. */
  | { readonly kind: "outage"; readonly of: "broker" | "store"; readonly reason: unknown }
  /** It can be used again. */
  | { readonly kind: "recovery"; readonly of: "broker" | "store" }
  /**
   * The queue was deleted and made again: what was leased before is gone with it, and ids and keys are others from now
   * on. What is in work is still stored.
   */
  | { readonly kind: "replaced" }
  /** A message has failed, and will be delivered again. */
  | { readonly kind: "failure"; readonly message: Message; readonly reason: unknown }
  /** A message has been put among the dead letters. */
  | { readonly kind: "dead"; readonly message: Message; readonly reason: unknown };
