/** Which hooks of each party of a pipeline were called at its end, in their order. */
export class PropagationLog {
  /** What the failure, the cancellation or the abort was given as its reason. */
  readonly reason: Error = new Error("the reason");
  #isClosed = false;
  readonly #calls = new Map<string, string[]>();

  /** From now on nothing is recorded: what is called in taking the pipeline down is no answer. */
  close(): void {
    this.#isClosed = true;
  }

  /** Records that `party` was called by the name of `hook`, with a reason if there are more arguments. */
  record(party: string, hook: string, ...reasons: unknown[]): void {
    if (this.#isClosed) return;
    const words = this.#calls.get(party) ?? [];
    this.#calls.set(party, words);
    words.push(reasons.length === 0 ? hook : `${hook}(${this.#describe(reasons[0])})`);
  }

  /** Records that `party` emitted an error event. */
  recordErrorEvent(party: string, error: unknown): void {
    if (this.#isClosed) return;
    const words = this.#calls.get(party) ?? [];
    this.#calls.set(party, words);
    const described = `(${this.#describe(error)})`;
    // An error event belongs to the destruction before it if its reason is that one's.
    if (words.at(-1)?.endsWith(described)) words.push(`${words.pop()}!`);
    else words.push(`error${described}!`);
  }

  /** A party's calls, in order. */
  of(party: string): string {
    return this.#calls.get(party)?.join(" ") ?? "nothing";
  }

  #describe(reason: unknown): string {
    if (reason === this.reason) return "same";
    if (reason === undefined || reason === null) return "none";
    const { cause, code, name } = reason as { cause?: unknown; code?: unknown; name?: string };
    if (cause === this.reason) return "wrapped";
    return typeof code === "string" ? code : name ?? typeof reason;
  }
}
