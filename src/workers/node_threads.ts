import { builtinModule } from "../builtin_module.ts";

/** A thread of `node:worker_threads`, by what is needed of it. */
export interface NodeThread {
  postMessage(message: unknown, transfer?: readonly unknown[]): void;
  on(event: string, listener: (value: never) => void): unknown;
  ref(): void;
  unref(): void;
  terminate(): Promise<unknown>;
}

/** The part of `node:worker_threads` that is needed. */
export interface NodeThreads {
  readonly workerData: unknown;
  readonly parentPort: {
    postMessage(message: unknown, transfer?: readonly unknown[]): void;
    on(event: "message", listener: (message: never) => void): unknown;
  } | null;
  readonly Worker: new (
    url: URL,
    options: { readonly workerData: unknown; readonly name: string },
  ) => NodeThread;
}

/** What a thread of ours is marked with. */
export const threadMark = "hosepipe stages";

/** Whether a thread that is busy goes on when it is ended, though the runtime says that it has gone. */
export const leavesBusyThreads: boolean = "Deno" in globalThis;

/** `node:worker_threads`, where it is there. */
export function nodeThreads(): NodeThreads | undefined {
  return builtinModule<NodeThreads>("node:worker_threads");
}

/** Deno's threads look through every byte of what is sent, one key at a time; what a set holds they leave alone. */
export function pack<T>(message: T): ReadonlySet<T> {
  return new Set([message]);
}

/** What `pack` was given. */
export function unpack<T>(packed: ReadonlySet<T>): T {
  const [message] = packed;
  return message as T;
}
