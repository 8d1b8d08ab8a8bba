import { type CarriedError, reviveError } from "./carry_error.ts";
import type { Memory } from "./check_memory.ts";
import type { FromThread } from "./messages.ts";
import { packChunks, unpackChunks } from "./packed_chunks.ts";
import { connectThread, type ThreadConnection, type ThreadModule } from "./thread_connection.ts";

/** How long a module may take to define its stages: a page's worker that never does says nothing. */
const maxStartMs = 60_000;

/** A block, by what a thread needs of it and says to it. */
export interface ThreadTask {
  readonly chunks: readonly unknown[];
  readonly transfer: readonly Transferable[];
  /** Given a part of what was made; how long the thread has worked on the block comes with it. */
  onPart(chunks: readonly unknown[], isLast: boolean, busyMs: number): void;
  /** Called once if the block has failed, with what a stage threw as it was sent; not if it was cancelled. */
  onFailure(error: CarriedError): void;
  /** Called once if the thread is gone with the block. */
  onGone(error: Error): void;
  /** Called if the block has been worked on for too long, before its thread is ended. */
  onTimeout(): void;
  /** Called if its thread was ended for another block that took too long. */
  onLost(): void;
}

/** What every block of a thread shares. */
export interface ThreadSettings {
  readonly module: ThreadModule;
  readonly options: unknown;
  /** What the stages may remember. */
  readonly memory: Memory;
  readonly timeoutMs: number | undefined;
  readonly name: string;
}

/** One thread, and the blocks that it has. */
export class Thread {
  readonly #connection: ThreadConnection;
  readonly #settings: ThreadSettings;
  readonly #onChanged: (thread: Thread) => void;
  /** Those in the thread, in the order in which it works on them; those that wait for demand are in `#paused`. */
  readonly #tasks = new Map<number, ThreadTask>();
  readonly #paused = new Map<number, ThreadTask>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastId = 0;
  #isReady = false;
  #isGone = false;

  /** `onChanged` is called when it has one block less, or is gone. */
  constructor(settings: ThreadSettings, onChanged: (thread: Thread) => void) {
    this.#settings = settings;
    this.#onChanged = onChanged;
    this.#connection = connectThread(settings.module, settings.name);
    this.#connection.setKept(false);
    this.#connection.listen((message) => this.#receive(message));
    this.#connection.onGone((reason) => this.#leave(reason));
    this.#startTimer();
    const { options, memory } = settings;
    this.#connection.post({ type: "start", options, memory });
  }

  /** How many blocks it has. */
  get load(): number {
    return this.#tasks.size + this.#paused.size;
  }

  /** Whether it is a thread at all; otherwise its blocks are run in place. */
  get isThread(): boolean {
    return this.#connection.isThread;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Gives it a block; throws if that cannot be sent. */
  run(task: ThreadTask): number {
    const id = ++this.#lastId;
    this.#connection.post({ type: "block", id, chunks: packChunks(task.chunks) }, task.transfer);
    if (this.load === 0) this.#connection.setKept(true);
    this.#tasks.set(id, task);
    if (this.#tasks.size === 1) this.#startTimer();
    return id;
  }

  /** The next part of a block is wanted. */
  askMore(id: number): void {
    const task = this.#paused.get(id);
    if (task === undefined) return;
    this.#paused.delete(id);
    const others = [...this.#tasks];
    this.#tasks.clear();
    this.#tasks.set(id, task);
    for (const [other, one] of others) this.#tasks.set(other, one);
    this.#startTimer();
    this.#connection.post({ type: "more", id });
  }

  /** A block is not wanted any more. */
  cancel(id: number): void {
    if (this.#isGone) return;
    this.#connection.post({ type: "cancel", id });
    this.#remove(id);
  }

  /** Ends the thread. */
  end(): void {
    this.#isGone = true;
    clearTimeout(this.#timer);
    this.#connection.setKept(false);
    this.#connection.end();
  }

  #receive(message: FromThread): void {
    if (this.#isGone) return;
    if (message.type === "ready") {
      this.#isReady = true;
      this.#startTimer();
    } else if (message.type === "refused") this.#leave(reviveError(message.error));
    else {
      const { id } = message;
      const task = this.#tasks.get(id) ?? this.#paused.get(id);
      // It was cancelled meanwhile.
      if (task === undefined) return;
      if (message.type === "failed") {
        this.#remove(id);
        task.onFailure(message.error);
      } else {
        const { chunks, isLast, busyMs } = message;
        if (isLast) this.#remove(id);
        else {
          this.#tasks.delete(id);
          this.#paused.set(id, task);
          this.#startTimer();
        }
        task.onPart(unpackChunks(chunks), isLast, busyMs);
      }
    }
  }

  #remove(id: number): void {
    if (!this.#tasks.delete(id) && !this.#paused.delete(id)) return;
    this.#startTimer();
    if (this.load === 0) this.#connection.setKept(false);
    this.#onChanged(this);
  }

  #leave(reason: unknown): void {
    if (this.#isGone) return;
    this.end();
    const what = this.#isReady ? "A thread is gone" : "Cannot start thread";
    const text = reason instanceof Error ? reason.message : String(reason);
    const error = new Error(`${what}: ${text}`, { cause: reason });
    for (const task of this.#takeAll()) task.onGone(error);
  }

  /** What it has, which it then has no longer. */
  #takeAll(): ThreadTask[] {
    const tasks = [...this.#tasks.values(), ...this.#paused.values()];
    this.#tasks.clear();
    this.#paused.clear();
    this.#onChanged(this);
    return tasks;
  }

  /** Times the block that the thread works on. */
  #startTimer(): void {
    clearTimeout(this.#timer);
    if (!this.#isReady) {
      const late = new Error(`its module has not defined its stages within ${maxStartMs} ms`);
      this.#timer = setTimeout(() => this.#leave(late), maxStartMs);
      // The thread keeps the process alive as long as it has a block.
      (this.#timer as { unref?(): void }).unref?.();
      return;
    }
    const { timeoutMs } = this.#settings;
    if (timeoutMs === undefined || this.#tasks.size === 0) return;
    this.#timer = setTimeout(() => {
      const [[id, task]] = [...this.#tasks] as [[number, ThreadTask]];
      this.#tasks.delete(id);
      this.end();
      const others = this.#takeAll();
      task.onTimeout();
      for (const other of others) other.onLost();
    }, timeoutMs);
  }
}

/** Threads of one module: begun when they are needed, warm between runs, ended when idle. */
export class ThreadPool {
  readonly #settings: ThreadSettings;
  readonly #threads: Thread[] = [];
  readonly #idleMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #begun = 0;

  constructor(settings: ThreadSettings, idleMs: number) {
    this.#settings = settings;
    this.#idleMs = idleMs;
  }

  /** How many threads have something to do. */
  get busyCount(): number {
    return this.#threads.filter(({ load }) => load > 0).length;
  }

  /** Whether a thread has nothing to do, or can be begun. */
  hasIdle(maxThreads: number): boolean {
    return this.#threads.length < maxThreads || this.#threads.some(({ load }) => load === 0);
  }

  /** Gives a block to the thread that has least to do; answers what cancels it and what asks for more of it. */
  run(
    task: ThreadTask,
    maxThreads: number,
  ): { cancel(): void; askMore(): void; readonly isThread: boolean } {
    clearTimeout(this.#timer);
    const thread = this.#choose(maxThreads);
    const id = thread.run(task);
    return {
      cancel: () => thread.cancel(id),
      askMore: () => thread.askMore(id),
      isThread: thread.isThread,
    };
  }

  #choose(maxThreads: number): Thread {
    const [least] = [...this.#threads].sort((one, other) => one.load - other.load);
    if (least !== undefined && !(least.load > 0 && this.#threads.length < maxThreads)) return least;
    const { name } = this.#settings;
    const thread = new Thread(
      { ...this.#settings, name: `${name} ${++this.#begun}` },
      this.#onChanged,
    );
    this.#threads.push(thread);
    return thread;
  }

  readonly #onChanged = (thread: Thread): void => {
    const at = this.#threads.indexOf(thread);
    if (thread.isGone && at !== -1) this.#threads.splice(at, 1);
    if (this.busyCount > 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      for (const one of this.#threads.splice(0)) one.end();
    }, this.#idleMs);
    // Threads that wait for work are no reason for a process to go on.
    (this.#timer as { unref?(): void }).unref?.();
  };
}
