import { lines, pipeline } from "@hosepipe/streams";
import { sseResponse } from "@hosepipe/streams/formats";
import { follow, type LogTailer } from "./_log_tailer.ts";

/** A tick each so many milliseconds, until a signal aborts; those that are late are left out. */
async function* tick(ms: number, signal: AbortSignal): AsyncGenerator<void> {
  let dueAt = performance.now();
  for (;;) {
    dueAt = Math.max(dueAt + ms, performance.now());
    await new Promise<void>((resolve) => {
      const stop = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        signal.removeEventListener("abort", stop);
        resolve();
      }, dueAt - performance.now());
      signal.addEventListener("abort", stop, { once: true });
    });
    if (signal.aborted) return;
    yield;
  }
}

/** What one client has not read yet. */
class Client {
  dropped = 0;
  readonly stream: ReadableStream<string>;
  readonly #waiting: string[];
  readonly #highWaterMark: number;
  #controller: ReadableStreamDefaultController<string> | undefined;
  #wanted: (() => void) | undefined;
  #failure: [reason: unknown] | undefined;

  constructor(
    replayed: readonly string[],
    highWaterMark: number,
    onLeave: (client: Client) => void,
  ) {
    this.#waiting = [...replayed];
    this.#highWaterMark = highWaterMark;
    this.stream = new ReadableStream<string>({
      start: (controller) => void (this.#controller = controller),
      pull: (controller) => {
        if (this.#waiting.length > 0) return controller.enqueue(this.#waiting.shift()!);
        if (this.#failure !== undefined) return controller.error(this.#failure[0]);
        return new Promise<void>((resolve) => void (this.#wanted = resolve));
      },
      cancel: () => onLeave(this),
    }, { highWaterMark: 0 });
  }

  push(line: string): void {
    const wanted = this.#wanted;
    if (wanted !== undefined) {
      this.#wanted = undefined;
      this.#controller!.enqueue(line);
      return wanted();
    }
    if (this.#waiting.length >= this.#highWaterMark) {
      this.#waiting.shift();
      this.dropped++;
    }
    this.#waiting.push(line);
  }

  /** What waits can still be read. */
  fail(reason: unknown): void {
    this.#failure = [reason];
    if (this.#wanted === undefined) return;
    this.#controller!.error(reason);
    this.#wanted();
  }
}

/** The same with the stages that were there before. */
export const followLog: LogTailer = (path, { files, pollMs, replay, highWaterMark }) => {
  const stop = new AbortController();
  const last: string[] = [];
  const clients = new Set<Client>();
  const all = new Set<Client>();
  let ending: [reason: unknown] | undefined;
  const end = (reason: unknown) => {
    ending ??= [reason];
    for (const client of clients) client.fail(ending[0]);
    clients.clear();
  };
  const publish = (line: string) => {
    if (replay > 0) last.push(line);
    if (last.length > replay) last.shift();
    for (const client of clients) client.push(line);
  };
  const ended = pipeline(follow(tick(pollMs, stop.signal), path, files), lines(), publish)
    .then(() => end("stopped"), end);
  return {
    answer() {
      const client = new Client(last, highWaterMark, (client) => clients.delete(client));
      if (ending === undefined) clients.add(client);
      else client.fail(ending[0]);
      all.add(client);
      return sseResponse(client.stream, { keepAliveMs: Infinity });
    },
    dropped: () => [...all].reduce((sum, { dropped }) => sum + dropped, 0),
    clientCount: () => clients.size,
    async stop() {
      end("stopped");
      stop.abort();
      await ended;
    },
  };
};
