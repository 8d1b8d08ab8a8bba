import { Thread, type ThreadSettings, type ThreadTask } from "./thread.ts";

/** Threads of one module: begun when they are needed, warm between runs, ended when idle. */
export class ThreadPool {
  readonly #settings: ThreadSettings;
  readonly #threads = new Set<Thread>();
  readonly #idleMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #begun = 0;

  constructor(settings: ThreadSettings, idleMs: number) {
    this.#settings = settings;
    this.#idleMs = idleMs;
  }

  /** How many blocks all threads have. */
  get load(): number {
    let load = 0;
    for (const thread of this.#threads) load += thread.load;
    return load;
  }

  /** How many threads have something to do. */
  get busyCount(): number {
    let count = 0;
    for (const thread of this.#threads) if (thread.load > 0) count++;
    return count;
  }

  /** Whether a thread has nothing to do, or can be begun. */
  hasIdle(maxThreads: number): boolean {
    if (this.#threads.size < maxThreads) return true;
    for (const thread of this.#threads) if (thread.load === 0) return true;
    return false;
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
    let least: Thread | undefined;
    for (const thread of this.#threads) {
      if (least === undefined || thread.load < least.load) least = thread;
    }
    if (least !== undefined && (least.load === 0 || this.#threads.size >= maxThreads)) return least;
    const { name } = this.#settings;
    const thread = new Thread(
      { ...this.#settings, name: `${name} ${++this.#begun}` },
      this.#onChanged,
    );
    this.#threads.add(thread);
    return thread;
  }

  readonly #onChanged = (thread: Thread): void => {
    if (thread.isGone) this.#threads.delete(thread);
    if (this.load > 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      for (const one of this.#threads) one.end();
      this.#threads.clear();
    }, this.#idleMs);
    // Threads that wait for work are no reason for a process to go on.
    (this.#timer as { unref?(): void }).unref?.();
  };
}
