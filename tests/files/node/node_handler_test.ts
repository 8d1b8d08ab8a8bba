import { assertEquals } from "@std/assert";
import type { IncomingMessage, ServerResponse } from "node:http";
import { PassThrough, Writable } from "node:stream";
import { test } from "node:test";
import {
  nodeHandler,
  type NodeOptions,
  onSocketClose,
} from "../../../src/files/node/node_handler.ts";
import type { ServedFile } from "../../../src/files/served_file.ts";
import { settle } from "../../node_compat/virtual_clock.ts";
import { Socket } from "node:net";
import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fileHandler } from "@hosepipe/streams/node";
import { beginReading, rawRequest } from "../raw_request.ts";
import { withFixture } from "../fixture.ts";
import { serveNode } from "../../lib/serve_node.ts";
import { openFiles, remainingFiles } from "../open_files.ts";

test("any number wait for a socket to close by one listener, and none stays", () => {
  const socket = new Socket();
  const before = socket.listenerCount("close");
  for (let round = 0; round < 2; round++) {
    const called: number[] = [];
    const stops = Array.from(
      { length: 20 },
      (_, index) => onSocketClose(socket, () => void called.push(index)),
    );
    assertEquals(socket.listenerCount("close"), before + 1);
    stops[3]!();
    stops[3]!();
    socket.emit("close");
    assertEquals(called, stops.map((_, index) => index).filter((index) => index !== 3));
    for (const stop of stops) stop();
    assertEquals(socket.listenerCount("close"), before);
  }
  socket.destroy();
});

const get = (target: string, last = "") =>
  `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${last && "Connection: close\r\n"}\r\n`;

test("the files of a client that pipelines requests and leaves are closed", () =>
  withFixture(async (root) => {
    const path = join(root, "long.bin");
    await writeFile(path, "");
    await truncate(path, 64 * 2 ** 20);
    const handler = fileHandler(root);
    const over: Promise<void>[] = [];
    await using server = await serveNode((request, response) => {
      over.push(handler(request, response));
    });
    const socket = await beginReading(server.port, get("/long.bin") + get("/long.bin"));
    while (process.platform === "linux" && openFiles(root).length < 1) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    socket.destroy();
    assertEquals(await remainingFiles(root), []);
    await Promise.all(over);
  }));

test("many pipelined requests are all answered, without a warning", () =>
  withFixture(async (root) => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on("warning", onWarning);
    await using server = await serveNode(fileHandler(root, { chunkSize: 1000 }));
    try {
      const text = get("/big.bin").repeat(19) + get("/big.bin", "last");
      const received = await rawRequest(server.port, text);
      assertEquals(received.toString("latin1").split("HTTP/1.1 200 OK\r\n").length, 21);
      // One that asks too far ahead is cut off.
      const cut = await rawRequest(server.port, get("/big.bin").repeat(150));
      assertEquals(cut.toString("latin1").split("HTTP/1.1 200 OK\r\n").length < 150, true);
      await new Promise((resolve) => setTimeout(resolve, 0));
      assertEquals(warnings.map(String), []);
    } finally {
      process.removeListener("warning", onWarning);
    }
  }));

test("an answer that has begun already is an error, and the file is closed", () =>
  withFixture(async (root) => {
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    const handler = fileHandler(root, { chunkSize: 1000, onError });
    await using server = await serveNode((request, response) => {
      response.writeHead(200, { "content-length": "5" });
      response.write("begun");
      handler(request, response);
    });
    await rawRequest(server.port, get("/big.bin", "last"));
    assertEquals(await remainingFiles(root), []);
    assertEquals(errors.map((error) => error instanceof Error), [true]);
  }));

const chunkSize = 10;

/** Makes each byte of a file another. */
function bytesAt(position: number, length: number): number[] {
  return Array.from({ length }, (_, index) => (position + index) % 251);
}

/** A file in memory; says what is asked of it, and fails when it is asked to. */
class MemoryFile {
  readonly positions: number[] = [];
  readonly memory = new Set<ArrayBufferLike>();
  isClosed = false;
  failsAt = Infinity;
  closing: Promise<void> = Promise.resolve();

  read(buffer: Uint8Array, position: number): Promise<number> {
    this.positions.push(position);
    this.memory.add(buffer.buffer);
    if (position >= this.failsAt) return Promise.reject(new Error("disk"));
    buffer.set(bytesAt(position, buffer.length));
    return Promise.resolve(buffer.length);
  }

  async close(): Promise<void> {
    await this.closing;
    this.isClosed = true;
  }
}

/** A response of `node:http` as far as it is used, whose client takes each chunk when it is asked to. */
class HeldResponse extends Writable {
  readonly heads: number[] = [];
  readonly bytes: number[] = [];
  readonly taken: (() => void)[] = [];
  headersSent = false;

  constructor() {
    super({
      highWaterMark: 1,
      // As a response, which only its server closes.
      ...{ autoDestroy: false, emitClose: false },
      write: (chunk, _encoding, callback) =>
        void this.taken.push(() => {
          // Only now it leaves: until then its memory must not be used again.
          this.bytes.push(...chunk);
          callback();
        }),
    });
  }

  writeHead(status: number): void {
    this.headersSent = true;
    this.heads.push(status);
  }

  async takeAll(): Promise<void> {
    for (let next = this.taken.shift(); next !== undefined; next = this.taken.shift()) {
      next();
      await settle();
    }
  }
}

/** A request for the first `length` bytes of a file that is being answered. */
function asked(
  length: number,
  file = new MemoryFile(),
  options: NodeOptions = {},
  socket?: PassThrough,
) {
  const response = new HeldResponse();
  const ended: unknown[] = [];
  const errors: unknown[] = [];
  let hasNextTurn = false;
  const handler = nodeHandler(
    () =>
      Promise.resolve({
        ...{ status: 200, headers: {} },
        body: { file: file as unknown as ServedFile, range: { start: 0, end: length } },
      }),
    { mode: "stream", chunkSize, idleTimeoutMs: 60_000 } as never,
    {
      onEnd: (_request, ...counts) => void ended.push(counts),
      onError: (error) => void errors.push(error),
      ...options,
    },
  );
  const request = { method: "GET", url: "/", rawHeaders: [], socket };
  let isOver = false;
  const over = handler(
    request as unknown as IncomingMessage,
    response as unknown as ServerResponse,
    () => hasNextTurn = true,
  ).then(() => isOver = true);
  return {
    ...{ file, response, ended, errors, over },
    isOver: () => isOver,
    hasNextTurn: () => hasNextTurn,
  };
}

test("node: a chunk is read when the one before it has left, and into its memory", async () => {
  const { file, response, over, ended, errors, hasNextTurn } = asked(20 * chunkSize);
  await settle();
  assertEquals(file.positions, [0]);
  for (let left = 1; left < 5; left++) {
    response.taken.shift()!();
    await settle();
    assertEquals(file.positions.length, left + 1);
  }
  await response.takeAll();
  await over;
  assertEquals(response.bytes, bytesAt(0, 20 * chunkSize));
  assertEquals([file.positions.length, file.memory.size], [20, 1]);
  assertEquals([file.isClosed, ended, errors, hasNextTurn()], [true, [[200, 200]], [], false]);
  assertEquals([response.heads, response.destroyed], [[200], false]);
});

test("node: nothing of ours stays with a response that is over, and its close is no one's leaving", async () => {
  const { response, over, errors, ended } = asked(3 * chunkSize);
  const before = response.listenerCount("close");
  await settle();
  // As early as it can come.
  response.prependListener("finish", () => response.emit("close"));
  await response.takeAll();
  await over;
  assertEquals([errors, ended, response.destroyed], [[], [[200, 30]], false]);
  assertEquals(response.listenerCount("close") <= before, true);
});

test("node: a client that leaves in the middle ends the answer, and closes the file", async () => {
  const { file, response, over, ended, errors, hasNextTurn } = asked(5 * chunkSize);
  await settle();
  response.taken.shift()!();
  await settle();
  const { length } = file.positions;
  response.emit("close");
  await over;
  await settle();
  assertEquals([file.isClosed, file.positions.length, response.destroyed], [true, length, true]);
  assertEquals([errors, ended.length, hasNextTurn()], [[], 1, false]);
});

test("node: a connection that closes ends the answer, also one that was to wait for its turn", async () => {
  for (const isEarly of [true, false]) {
    const socket = new PassThrough();
    const before = socket.listenerCount("close");
    if (isEarly) socket.destroy();
    const { file, response, over, ended, errors } = asked(50, undefined, {}, socket);
    await settle();
    if (!isEarly) response.taken.shift()!();
    await settle();
    socket.destroy();
    await over;
    await settle();
    assertEquals([file.isClosed, response.heads.length], [true, isEarly ? 0 : 1]);
    assertEquals([errors, ended.length, socket.listenerCount("close")], [[], 1, before]);
  }
});

test("node: a head that cannot be sent is an error, and the file is closed", async () => {
  const { file, response, over, ended, errors } = asked(50, undefined, {
    onEnd: (_request, ...counts) => void ended.push(counts),
  });
  const failure = new Error("of the head");
  response.writeHead = (status) => {
    response.heads.push(status);
    if (status === 200) throw failure;
  };
  await settle();
  await response.takeAll();
  await over;
  assertEquals([file.isClosed, errors, response.heads, ended], [
    true,
    [failure],
    [200, 500],
    [[500, 22]],
  ]);
});

test("node: a client that has left while the file was opened is sent nothing, and the file closed first", async () => {
  const file = new MemoryFile();
  const { promise, resolve } = Promise.withResolvers<void>();
  file.closing = promise;
  const { response, over, isOver, ended, errors, hasNextTurn } = asked(5 * chunkSize, file);
  response.destroy();
  await settle();
  assertEquals([isOver(), file.positions, response.heads], [false, [], []]);
  resolve();
  await over;
  assertEquals([file.isClosed, ended, errors, hasNextTurn()], [true, [[200, 0]], [], false]);
});

test("node: a file that fails in the middle breaks the answer off, and says so once", async () => {
  const file = new MemoryFile();
  file.failsAt = 20;
  const { response, over, ended, errors, hasNextTurn } = asked(5 * chunkSize, file);
  await settle();
  await response.takeAll();
  await over;
  assertEquals([file.isClosed, response.destroyed, response.writableFinished], [true, true, false]);
  assertEquals([errors.map(String), ended, hasNextTurn()], [["Error: disk"], [[200, 20]], false]);
});

test("node: what fails once the head is sent breaks the answer off, and no second head follows", async () => {
  const failure = new Error("of onEnd");
  const { response, over, errors, hasNextTurn } = asked(chunkSize, new MemoryFile(), {
    onEnd: () => {
      throw failure;
    },
  });
  await settle();
  await over;
  assertEquals([response.heads, response.destroyed], [[200], true]);
  assertEquals([errors, hasNextTurn()], [[failure], false]);
});
