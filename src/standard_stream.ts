type Standard = Record<"stdin" | "stdout" | "stderr", unknown>;

interface Input {
  readonly fd?: unknown;
  readonly readableLength: number;
  listenerCount(event: string): number;
  resume(): Input;
  pause(): unknown;
}

/** Whether `stream` is the process's input; to ask for that opens it. */
function isInput(stream: object): stream is Input {
  const { process } = globalThis as { process?: Standard };
  return (stream as Input).fd === 0 && stream === process?.stdin;
}

/** Whether `stream` is one of the process's own: they serve others, too, and are never ended nor destroyed. */
export function isStandard(stream: object): boolean {
  const { process } = globalThis as { process?: Standard };
  return stream === process?.stdout || stream === process?.stderr || isInput(stream);
}

/** Pauses what may still read ahead, again if more has come meanwhile, unless another reads it by now. */
function pause(stream: Input, length?: number): void {
  // After this turn, since before that a stream that was read by its `readable` event cannot be paused.
  setTimeout(() => {
    if (stream.listenerCount("data") + stream.listenerCount("readable") > 0) return;
    stream.resume().pause();
    if (stream.readableLength !== length) pause(stream, stream.readableLength);
  }, 0);
}

/** Gives one of the process's own up: it stays open, and the input is paused, which lets the process end. */
export function leaveStandard(stream: object): void {
  if (isInput(stream)) pause(stream);
}
