import { Fifo } from "../fifo.ts";
import type { ChannelPlan } from "./channel_options.ts";
import { type BranchHost, HubBranchSource } from "./hub_branch.ts";
import type { SourceEnding, SourceReader } from "./source_reader.ts";

/** Without a branch, the event loop has its turn after so many chunks. */
const chunksPerTurn = 256;

/** Reads one source for branches that come and go. */
export class HubSource<T> implements BranchHost<T> {
  ending: SourceEnding | undefined;
  readonly #source: SourceReader<T>;
  readonly #replay: number;
  readonly #runAlone: boolean;
  /** The last chunks, for those that join. */
  readonly #last = new Fifo();
  readonly #open = new Set<HubBranchSource<T>>();
  #isReading = false;
  #readAlone = 0;

  constructor(source: SourceReader<T>, replay: number, runAlone: boolean) {
    this.#source = source;
    this.#replay = replay;
    this.#runAlone = runAlone;
    this.read();
  }

  get branchCount(): number {
    return this.#open.size;
  }

  join(plan: ChannelPlan<T>): ReadableStream<T> {
    const branch = new HubBranchSource<T>(this, plan);
    for (let count = this.#last.length; count > 0; count--) {
      const chunk = this.#last.shift() as T;
      this.#last.push(chunk);
      branch.replay(chunk);
    }
    this.#open.add(branch);
    return branch.readable;
  }

  leave(branch: HubBranchSource<T>): void {
    this.#open.delete(branch);
    // It may have been the one that the others waited for, or the last.
    this.read();
  }

  async cancel(reason: unknown): Promise<void> {
    if (this.ending !== undefined) return;
    this.#end({ failed: true, reason });
    await this.#source.cancel(reason);
  }

  saidOf(asking: HubBranchSource<T>): string {
    const full = [...this.#open].findIndex((branch) => branch !== asking && branch.holdsBack);
    return full < 0
      ? "its source has given nothing since"
      : `branch ${full + 1} has no room: it is not read`;
  }

  read(): void {
    if (this.#isReading || this.ending !== undefined || !this.#isWanted()) return;
    this.#isReading = true;
    void this.#readOne();
  }

  /** Whether the chunk that would be read now has somewhere to go. */
  #isWanted(): boolean {
    if (this.#open.size === 0) return this.#runAlone;
    let isAsked = false;
    for (const branch of this.#open) {
      if (branch.isAsking) isAsked = true;
      else if (branch.holdsBack) return false;
    }
    return isAsked;
  }

  async #readOne(): Promise<void> {
    try {
      if (this.#open.size === 0) await this.#giveTurn();
      const { done, value } = await this.#source.read();
      // Cancelled meanwhile.
      if (this.ending !== undefined) return;
      if (done) return this.#end({ failed: false });
      this.#keep(value);
      for (const branch of this.#open) branch.take(value);
    } catch (reason) {
      if (this.ending === undefined) this.#end({ failed: true, reason });
      return;
    }
    this.#isReading = false;
    this.read();
  }

  /** A source that always has a chunk would let nothing join. */
  async #giveTurn(): Promise<void> {
    if (this.#readAlone++ % chunksPerTurn !== 0) return;
    await new Promise<void>((resolve) => setTimeout(resolve));
  }

  #keep(chunk: T): void {
    if (this.#replay === 0) return;
    if (this.#last.length === this.#replay) this.#last.shift();
    this.#last.push(chunk);
  }

  #end(ending: SourceEnding): void {
    this.ending = ending;
    for (const branch of this.#open) branch.endIfAsked();
  }
}
