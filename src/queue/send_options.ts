/** How messages are sent. What an adapter cannot do is an error that says so. */
export interface SendOptions {
  /**
   * The messages' own ids, one for each body, none of them empty: what `Message.id` is then, and the first part of the
   * outputs' keys. A message whose id is still in the queue is not added again; one that comes later is absorbed by
   * its key in the store. Default: ids that the queue makes.
   */
  readonly ids?: readonly string[] | undefined;
  /**
   * For how long, in milliseconds from the first time, a message with the same id is not added again, even if the first
   * was acknowledged meanwhile; a positive integer, with `ids`. Default: for as long as it is in the queue.
   */
  readonly rememberMs?: number | undefined;
  /**
   * One for each body, `undefined` for none: of the messages with one key only the first is handed over, until it is
   * acknowledged or dead, so that they are worked on one by one and in order, failures included. Default: no order.
   */
  readonly keys?: readonly (string | undefined)[] | undefined;
  /** Before this time they are not handed over. Default: at once. */
  readonly notBefore?: Date | undefined;
}
