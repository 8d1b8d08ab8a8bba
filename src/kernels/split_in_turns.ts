/** When the event loop must have its turn, as the engine knows it. */
export interface OperationTurn {
  /** How many chunks may be made before `isOver` is asked. */
  readonly sliceSize: number;
  /** Answers, given how many chunks were made, whether the event loop must have its turn. */
  isOver(madeCount: number): boolean;
  /** Calls back once it has had it. */
  next(callback: () => void): void;
}

/** What makes many chunks of one, in steps. */
export interface Splitter<I, O> {
  /** Takes the next chunk; `step` is called until that is done. */
  take(chunk: I): void;
  /** Gives at most `limit` chunks; tells whether there is more to do. */
  step(limit: number, controller: O): boolean;
  /** Keeps what it still needs of the chunk in memory of its own: the source may use its buffer again. */
  keep(): void;
}

/** Up to this length a chunk is split at once: it takes a few milliseconds at most. */
const usualLength = 64 * 1024;

/** Splits one chunk, and gives the event loop its turn within a huge one, where the engine has turns to give. */
export function splitInTurns<I extends { readonly length: number }, O>(
  splitter: Splitter<I, O>,
  chunk: I,
  controller: O,
  turn: OperationTurn | undefined,
): void | Promise<void> {
  splitter.take(chunk);
  if (turn === undefined || chunk.length <= usualLength) {
    splitter.step(Infinity, controller);
    return;
  }
  const goOn = (): boolean => {
    do {
      const { sliceSize } = turn;
      if (!splitter.step(sliceSize, controller)) return false;
      if (turn.isOver(sliceSize)) return true;
    } while (true);
  };
  if (!goOn()) return;
  splitter.keep();
  return goOnLater(turn, goOn);
}

async function goOnLater(turn: OperationTurn, goOn: () => boolean): Promise<void> {
  do await new Promise<void>((resolve) => turn.next(resolve)); while (turn.isOver(0) || goOn());
}
