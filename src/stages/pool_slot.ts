/** How a call has ended. */
export type Outcome<O> = { readonly ok: true; readonly value: O } | {
  readonly ok: false;
  readonly error: unknown;
};

/** The place of a result in the order of the output. */
export interface PoolSlot<O> {
  readonly index: number;
  outcome: Outcome<O> | undefined;
  next: PoolSlot<O> | undefined;
  readonly key?: unknown;
  /** Of a call that waits for another with its key: begins it. */
  begin?: (() => O | PromiseLike<O>) | undefined;
  /** The next call with its key, which waits for it. */
  follower?: PoolSlot<O> | undefined;
}

/** Who waits for room, or for an end. */
export interface PoolWaiter {
  /** Whether what it waits for is so. */
  readonly isMet: () => boolean;
  resolve(): void;
  reject(error: unknown): void;
}

/** The last call of each key that has not ended. */
export class OrderOfKeys<O> {
  readonly #last = new Map<unknown, PoolSlot<O>>();

  isFree(key: unknown): boolean {
    return !this.#last.has(key);
  }

  /** Puts a call behind those with its key. */
  add(slot: PoolSlot<O>): void {
    const last = this.#last.get(slot.key);
    if (last !== undefined) last.follower = slot;
    this.#last.set(slot.key, slot);
  }

  /** A call has ended: answers the next with its key. */
  end(slot: PoolSlot<O>): PoolSlot<O> | undefined {
    if (this.#last.get(slot.key) === slot) this.#last.delete(slot.key);
    return slot.follower;
  }
}
