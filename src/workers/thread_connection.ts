import { isPromiseLike } from "../is_promise_like.ts";
import type { FromThread, ThreadPort, ToThread } from "./messages.ts";
import { type NodeThread, nodeThreads, pack, threadMark, unpack } from "./node_threads.ts";
import { serveStages } from "./serve_stages.ts";
import type { StagesDefinition } from "./stages_definition.ts";

/** What the one that began a thread has of it. */
export interface ThreadConnection extends ThreadPort<ToThread, FromThread> {
  /** Calls back once if the thread is gone, or could not begin, with what is known of it. */
  onGone(callback: (reason: unknown) => void): void;
  /** Whether it is a thread at all. */
  readonly isThread: boolean;
  /** Whether the thread keeps the process alive. */
  setKept(isKept: boolean): void;
  /** Ends it, whatever it does. */
  end(): void;
}

/** A worker as a browser has it, or as a program's own function makes it. */
export interface WebWorker {
  /** Sends a message, and hands buffers over. */
  postMessage(message: unknown, transfer: readonly Transferable[]): void;
  /** Calls a function with each event of a type. */
  // deno-lint-ignore no-explicit-any -- of any event
  addEventListener(type: string, listener: (event: any) => void): void;
  /** Ends it, whatever it does. */
  terminate(): void;
}

/** How a thread is begun: by the address of its module, or by a function that makes a worker or imports the module. */
export type ThreadModule = URL | (() => WebWorker | PromiseLike<unknown>);

function ofNode(thread: NodeThread): ThreadConnection {
  return {
    post: (message, transfer = []) => thread.postMessage(pack(message), transfer),
    listen: (onMessage) =>
      void thread.on("message", (packed: ReadonlySet<FromThread>) => onMessage(unpack(packed))),
    onGone(callback) {
      thread.on("error", (error: never) => callback(error));
      thread.on("messageerror", (error: never) => callback(error));
      thread.on("exit", (code: never) => callback(new Error(`it ended with exit code ${code}`)));
    },
    setKept: (isKept) => isKept ? thread.ref() : thread.unref(),
    isThread: true,
    // Deno never ends a thread that is busy, so the end is not waited for.
    end: () => void thread.terminate().catch(() => {}),
  };
}

function ofWeb(worker: WebWorker): ThreadConnection {
  return {
    post: (message, transfer = []) => worker.postMessage(message, transfer),
    listen: (onMessage) =>
      worker.addEventListener("message", ({ data }: { data: FromThread }) => onMessage(data)),
    onGone(callback) {
      const say = (event: { message?: string; error?: unknown; preventDefault?(): void }) => {
        event.preventDefault?.();
        callback(event.error ?? new Error(event.message ?? "its module could not be loaded"));
      };
      worker.addEventListener("error", say);
      worker.addEventListener("messageerror", say);
    },
    setKept() {},
    isThread: true,
    end: () => worker.terminate(),
  };
}

/** Where there are no threads: the module in this one, its messages in microtasks. */
function inPlace(module: PromiseLike<unknown>): ThreadConnection {
  let toModule: ((message: ToThread) => void) | undefined;
  let fromModule: ((message: FromThread) => void) | undefined;
  let gone: ((reason: unknown) => void) | undefined;
  const early: ToThread[] = [];
  Promise.resolve(module).then((loaded) => {
    const { default: definition } = loaded as { default?: unknown };
    if (typeof (definition as { make?: unknown } | undefined)?.make !== "function") {
      throw new TypeError("its default export is not what defineStages returns");
    }
    const port: ThreadPort<FromThread, ToThread> = {
      post: (message) => queueMicrotask(() => fromModule?.(message)),
      listen: (onMessage) => toModule = onMessage,
    };
    serveStages(port, definition as StagesDefinition<unknown, unknown>);
    for (const message of early) toModule!(message);
  }).catch((error) => gone?.(error));
  return {
    post(message) {
      if (toModule === undefined) early.push(message);
      else queueMicrotask(() => toModule!(message));
    },
    listen: (onMessage) => fromModule = onMessage,
    onGone: (callback) => gone = callback,
    setKept() {},
    isThread: false,
    end: () => fromModule = undefined,
  };
}

/** Begins a thread. */
export function connectThread(module: ThreadModule, name: string): ThreadConnection {
  if (typeof module === "function") {
    const made = module();
    return isPromiseLike(made) ? inPlace(made) : ofWeb(made);
  }
  const threads = nodeThreads();
  if (threads !== undefined) {
    return ofNode(new threads.Worker(module, { workerData: threadMark, name }));
  }
  const { Worker } = globalThis as {
    Worker?: new (url: URL, options: { type: "module"; name: string }) => WebWorker;
  };
  return Worker === undefined
    ? inPlace(import(module.href))
    : ofWeb(new Worker(module, { type: "module", name }));
}
