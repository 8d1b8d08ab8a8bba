import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { parseSse, type SseEvent } from "@hosepipe/streams/formats";
import { virtualTime } from "@hosepipe/streams/testing";
import { unhandledDuring } from "../lib/unhandled_during.ts";
import type { LogFile, LogFiles, LogTailer } from "./_log_tailer.ts";
import { followLog } from "./log_tailer.ts";
import { followLog as followLogByHand } from "./log_tailer_by_hand.ts";

const programs: Record<string, LogTailer> = {
  "with stages": followLog,
  "by hand": followLogByHand,
};

const encoder = new TextEncoder();

/** Files in memory, which count what is open. */
class Memory implements LogFiles {
  open_ = 0;
  fails = false;
  #next = 1;
  readonly #files = new Map<string, { id: number; bytes: number[] }>();

  append(path: string, text: string): void {
    const file = this.#files.get(path) ?? { id: this.#next++, bytes: [] };
    this.#files.set(path, file);
    file.bytes.push(...encoder.encode(text));
  }

  cut(path: string): void {
    this.#files.get(path)!.bytes.length = 0;
  }

  rotate(path: string): void {
    this.#files.set(`${path}.1`, this.#files.get(path)!);
    this.#files.delete(path);
  }

  readonly idOf = (path: string) => {
    if (this.fails) return Promise.reject(new Error("no permission"));
    return Promise.resolve(this.#files.get(path)?.id);
  };

  readonly open = (path: string): Promise<LogFile | undefined> => {
    const file = this.#files.get(path);
    if (file === undefined) return Promise.resolve(undefined);
    this.open_++;
    return Promise.resolve({
      id: file.id,
      size: () => Promise.resolve(file.bytes.length),
      read: (from, to) => Promise.resolve(Uint8Array.from(file.bytes.slice(from, to))),
      close: () => Promise.resolve(void this.open_--),
    });
  };
}

/** Someone who reads events as they come, or only when asked. */
class Client {
  readonly lines: string[] = [];
  ending: unknown = "open";
  readonly #events: ReadableStreamDefaultReader<SseEvent>;

  constructor(response: Response) {
    this.#events = response.body!.pipeThrough(new TransformStream(parseSse())).getReader();
  }

  async read(count = Infinity): Promise<void> {
    try {
      while (count-- > 0) {
        const { done, value } = await this.#events.read();
        if (done) return void (this.ending = "ended");
        this.lines.push(value.data);
      }
    } catch (reason) {
      this.ending = [String(reason)];
    }
  }

  leave(): Promise<void> {
    return this.#events.cancel("left");
  }
}

const parts = { pollMs: 100, replay: 3, highWaterMark: 10 };

/** Runs a scene with both programs, and compares what it gives. */
async function both(
  play: (scene: {
    readonly start: (given?: Partial<typeof parts>) => ReturnType<LogTailer>;
    readonly memory: Memory;
    readonly pass: (ms: number) => Promise<void>;
  }) => Promise<unknown>,
): Promise<void> {
  const seen: unknown[] = [];
  const unhandled = await unhandledDuring(async () => {
    for (const program of Object.values(programs)) {
      await using time = virtualTime();
      const memory = new Memory();
      let log: ReturnType<LogTailer> | undefined;
      const start = (given = {}) => log = program("app.log", { ...parts, ...given, files: memory });
      seen.push(await play({ start, memory, pass: (ms) => time.advance(ms) }));
      await log!.stop();
      await time.advance(1000);
      assertEquals([memory.open_, time.timers], [0, 0], "a file or a timer is left");
    }
  });
  assertEquals([unhandled, seen[1]], [[], seen[0]]);
}

test("a log tailer, both programs: lines as they come, whole, from when a client comes", () =>
  both(async ({ start, memory, pass }) => {
    memory.append("app.log", "1\n2\n3\n4\n5");
    const log = start();
    await pass(150);
    const client = new Client(log.answer());
    void client.read();
    await pass(150);
    assertEquals(client.lines, ["2", "3", "4"]);
    memory.append("app.log", "5\n6\nse");
    await pass(100);
    assertEquals(client.lines, ["2", "3", "4", "55", "6"]);
    memory.append("app.log", "ven ü\n");
    await pass(100);
    assertEquals(client.lines.at(-1), "seven ü");
    return [client.lines, log.dropped(), log.clientCount()];
  }));

test("a log tailer, both programs: a file that is renamed is read to its end, then the next", () =>
  both(async ({ start, memory, pass }) => {
    const log = start({ replay: 100 });
    const client = new Client(log.answer());
    void client.read();
    await pass(250);
    memory.append("app.log", "1\n2\n");
    await pass(100);
    memory.append("app.log", "3\nno end");
    memory.rotate("app.log");
    await pass(100);
    memory.append("app.log", "4\n");
    await pass(200);
    assertEquals(client.lines, ["1", "2", "3", "no end", "4"]);
    memory.cut("app.log");
    await pass(100);
    memory.append("app.log", "5\n");
    await pass(100);
    assertEquals(client.lines.at(-1), "5");
    assertEquals(memory.open_, 1);
    return client.lines;
  }));

test("a log tailer, both programs: a slow client misses the oldest, counted; the others miss none", () =>
  both(async ({ start, memory, pass }) => {
    const log = start({ replay: 0 });
    const [quick, slow] = [new Client(log.answer()), new Client(log.answer())];
    void quick.read();
    await pass(100);
    for (let n = 0; n < 5; n++) {
      memory.append("app.log", Array.from({ length: 8 }, (_, at) => `${n * 8 + at}\n`).join(""));
      await pass(100);
    }
    assertEquals(quick.lines.length, 40);
    void slow.read();
    await pass(100);
    assert(slow.lines.length < 20 && slow.lines.at(-1) === "39");
    assertEquals(slow.lines.length + log.dropped(), 40);
    return [quick.lines, slow.lines.slice(-10)];
  }));

test("a log tailer, both programs: clients that leave are gone, and the log goes on", () =>
  both(async ({ start, memory, pass }) => {
    const log = start();
    const clients = Array.from({ length: 20 }, () => new Client(log.answer()));
    for (const client of clients) void client.read();
    memory.append("app.log", "1\n2\n");
    await pass(200);
    for (const client of clients.slice(1)) await client.leave();
    await pass(100);
    assertEquals(log.clientCount(), 1);
    memory.append("app.log", "3\n");
    await pass(100);
    assertEquals(clients[0]!.lines, ["1", "2", "3"]);
    await clients[0]!.leave();
    memory.append("app.log", "4\n");
    await pass(200);
    const late = new Client(log.answer());
    void late.read();
    await pass(1);
    return [late.lines, log.clientCount()];
  }));

test("a log tailer, both programs: what fails reaches each client, those that come later too", () =>
  both(async ({ start, memory, pass }) => {
    const log = start();
    memory.append("app.log", "1\n");
    const client = new Client(log.answer());
    void client.read();
    await pass(100);
    memory.fails = true;
    await pass(100);
    assertEquals(client.ending, ["Error: no permission"]);
    const late = new Client(log.answer());
    await late.read();
    assertEquals(late.ending, ["Error: no permission"]);
    return [client.lines, late.lines, log.clientCount()];
  }));
