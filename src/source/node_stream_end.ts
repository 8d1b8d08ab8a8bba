import { builtinModule } from "../builtin_module.ts";
import { isStandard, leaveStandard } from "../standard_stream.ts";
import { toReason } from "./stage_error.ts";

interface State {
  readonly emitClose?: boolean;
}

// deno-lint-ignore no-explicit-any -- of any event
type Listener = (...args: any[]) => void;

/** A stream of node, by what is needed of it: a browser has no types of it. */
export interface NodeStream {
  readonly destroyed: boolean;
  readonly closed?: boolean;
  on(event: string, listener: Listener): unknown;
  once(event: string, listener: Listener): unknown;
  off(event: string, listener: Listener): unknown;
  destroy(error?: Error): unknown;
}

type States = Record<"_readableState" | "_writableState", State | undefined>;

interface NodeModule {
  finished(
    stream: NodeStream,
    side: { readable?: boolean; writable?: boolean },
    onEnd: (error?: Error | null) => void,
  ): () => void;
}

const afterTurn = (act: () => void): unknown =>
  (globalThis as unknown as { setImmediate(act: () => void): unknown }).setImmediate(act);

/** Whether `stream` was made to say that it is closed. */
function emitsClose(stream: object): boolean {
  const { _readableState: readState, _writableState: writeState } = stream as States;
  return (readState ?? writeState)?.emitClose !== false;
}

/** Whether `stream` is being closed, and will say so. */
export function isClosing(stream: NodeStream): boolean {
  return stream.destroyed && !isClosed(stream) && emitsClose(stream);
}

function isClosed(stream: NodeStream): boolean {
  const { closed, _closed, destroyed } = stream as typeof stream & { _closed?: boolean };
  return closed ?? _closed ?? destroyed ?? true;
}

/** What a stream fails with that is closed before its end. */
export function prematureClose(): Error {
  return Object.assign(new Error("Premature close"), { code: "ERR_STREAM_PREMATURE_CLOSE" });
}

/**
 * Calls back, once, with how a side of `stream` came to its end, and leaves no listener behind once the stream is
 * closed. What it answers stops listening at once.
 */
export function onStreamEnd(
  stream: NodeStream,
  side: { readable?: boolean; writable?: boolean },
  onEnd: (failure?: { reason: unknown }) => void,
): () => void {
  const onClose = () => queueMicrotask(forget);
  const forget = (): void => {
    stream.off("close", onClose);
    cleanUp();
  };
  const { finished } = builtinModule<NodeModule>("node:stream")!;
  const cleanUp = finished(stream, side, (error) => {
    // It listens on: an error that comes between the end and the close, or after the stream has said that it is
    // closed, must not crash the process.
    stream.once("close", onClose);
    afterTurn(() => {
      if (isClosed(stream)) forget();
    });
    // One made with `autoDestroy: false` is not by itself.
    if (error != null && !isStandard(stream)) stream.destroy?.();
    onEnd(error == null ? undefined : { reason: toReason(error) });
  });
  return forget;
}

/**
 * Destroys `stream` as Node's own iterators do: a server that gives a request up may still answer it, and a client whose
 * answer is given up is not given an error that it may not listen for.
 */
function destroy(stream: NodeStream, error: Error | undefined): void {
  const message = stream as { req?: { abort?: unknown }; _dumped?: boolean; socket?: unknown };
  const isAnswer = typeof message.req?.abort === "function";
  if (!isAnswer && typeof message._dumped === "boolean") message.socket = null;
  stream.destroy(isAnswer ? undefined : error);
}

/**
 * Gives `stream` up: destroys it, and waits until it is closed; fails if the clean-up does. One of the process's own is
 * left open; its input is paused, which lets the process end.
 */
export function destroyStream(stream: NodeStream, error?: Error): Promise<void> {
  if (isStandard(stream)) return Promise.resolve(leaveStandard(stream));
  return new Promise((resolve, reject) => {
    if (stream.closed ?? stream.destroyed) return resolve();
    const onError = (failure: unknown): void => {
      if (failure !== error) reject(toReason(failure));
    };
    const onClose = (): void => {
      stream.off("error", onError);
      stream.off("close", onClose);
      resolve();
    };
    stream.on("error", onError);
    stream.on("close", onClose);
    destroy(stream, error);
    if (emitsClose(stream)) return;
    resolve();
    afterTurn(() => {
      if (isClosed(stream)) onClose();
    });
  });
}
