import { Condition } from "./condition.ts";

/** Work that is in flight, of which there may be so much at a time; what ends is notified. */
export class InFlight extends Condition {
  readonly limit: number;
  count = 0;

  constructor(limit: number) {
    super();
    this.limit = limit;
  }

  /** Whether no more may begin. */
  get isFull(): boolean {
    return this.count >= this.limit;
  }

  begin(): void {
    this.count++;
  }

  end(): void {
    this.count--;
    this.notifyAll();
  }

  /** What a run that waits says of it: "3 of 4 calls in flight", or without a limit "3 calls in flight". */
  describe(what: string): string | undefined {
    if (this.count === 0) return undefined;
    const limit = this.limit === Infinity ? "" : `of ${this.limit} `;
    return `${this.count} ${limit}${what} in flight`;
  }
}
