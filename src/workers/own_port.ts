import type { FromThread, ThreadPort, ToThread } from "./messages.ts";
import { nodeThreads, pack, threadMark, unpack } from "./node_threads.ts";

interface WorkerScope {
  readonly WorkerGlobalScope?: abstract new () => object;
  postMessage(message: unknown, transfer: readonly unknown[]): void;
  addEventListener(type: "message", listener: (event: { data: never }) => void): void;
}

let isTaken = false;

/** The port to the one that began this thread, if this is a thread that `inWorkers` began; for the first that asks. */
export function ownPort(): ThreadPort<FromThread, ToThread> | undefined {
  if (isTaken) return undefined;
  const threads = nodeThreads();
  if (threads !== undefined) {
    const { parentPort, workerData } = threads;
    if (parentPort === null || workerData !== threadMark) return undefined;
    isTaken = true;
    return {
      post: (message, transfer = []) => parentPort.postMessage(pack(message), transfer),
      listen: (onMessage) =>
        void parentPort.on("message", (packed: ReadonlySet<ToThread>) => onMessage(unpack(packed))),
    };
  }
  const scope = globalThis as unknown as WorkerScope;
  const isWorker = scope.WorkerGlobalScope !== undefined &&
    scope instanceof scope.WorkerGlobalScope;
  if (!isWorker) return undefined;
  isTaken = true;
  return {
    post: (message, transfer = []) => scope.postMessage(message, transfer),
    listen: (onMessage) => scope.addEventListener("message", ({ data }) => onMessage(data)),
  };
}
