/** A `pull` that is under way, one at a time: made once, since a pipeline that reads past the stream asks for no promise. */
export class Pulling implements PromiseLike<void> {
  isPending = false;
  #onEnded: (() => unknown) | undefined;

  begin(): this {
    this.isPending = true;
    return this;
  }

  end(): void {
    this.isPending = false;
    const onEnded = this.#onEnded;
    this.#onEnded = undefined;
    onEnded?.();
  }

  /** Called by the stream, a step after `pull` has answered; what waits is not chained. */
  then(onFulfilled?: ((value: void) => unknown) | null): never {
    this.#onEnded = onFulfilled!;
    if (!this.isPending) this.end();
    return undefined as never;
  }
}
