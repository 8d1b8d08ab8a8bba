import { assertEquals, assertInstanceOf, assertStrictEquals, assertThrows } from "@std/assert";
import { Buffer } from "node:buffer";
import { createReadStream } from "node:fs";
import { PassThrough, Readable, Writable } from "node:stream";
import { test } from "node:test";
import { createGzip } from "node:zlib";
import { fuse, pipeline } from "@hosepipe/streams";
import { fromNode, StageError, transformer, writer } from "@hosepipe/streams/node";
import { Ground } from "../laws/_foreign_streams.ts";
import { reasons, rejection } from "./errors.ts";
import { settle } from "./virtual_clock.ts";
import type { Socket } from "node:net";
import { NodeSource } from "../../node_compat/from_node.ts";

interface RunOptions {
  readonly preventClose?: boolean;
}

const events = ["error", "close", "end", "finish", "data", "readable", "drain", "aborted"];

function listenersOf(stream: Readable | Writable): number[] {
  return events.map((event) => stream.listenerCount(event));
}

/** Takes chunks a turn later. */
const late = (options: object = {}): Writable =>
  new Writable({
    objectMode: true,
    highWaterMark: 16,
    write: (_chunk, _encoding, done) => void setImmediate(done),
    ...options,
  });

test("bytes arrive as plain Uint8Arrays", async () => {
  const node = new Readable({ read() {} });
  node.push("ab");
  node.push("c");
  node.push(null);
  const bytes: number[] = [];
  for await (const chunk of fromNode<Uint8Array>(node)) {
    assertStrictEquals(Object.getPrototypeOf(chunk), Uint8Array.prototype);
    bytes.push(...chunk);
  }
  assertEquals(bytes, [97, 98, 99]);
});

test("a readable that is closed before its end fails, also if it was so from the start", async () => {
  for (const isEarly of [true, false]) {
    const node = new Readable({ objectMode: true, read() {} });
    if (isEarly) {
      node.destroy();
      await settle();
    }
    const read = rejection(fromNode(node).getReader().read());
    await settle();
    node.destroy();
    const { reason } = await read;
    assertEquals((reason as { code: string }).code, "ERR_STREAM_PREMATURE_CLOSE");
  }
});

test("cancel destroys a readable with the reason and waits until it is closed", async () => {
  for (const reason of [...reasons, new Error("enough")]) {
    const errors: unknown[] = [];
    let finish = (): void => {};
    const node = new Readable({
      objectMode: true,
      read() {},
      destroy: (error, callback) => {
        errors.push(error);
        finish = () => callback(error);
      },
    });
    let isDone = false;
    const cancelled = fromNode(node).cancel(reason).then(() => isDone = true);
    await settle();
    assertEquals([isDone, errors.length], [false, 1]);
    finish();
    await cancelled;
    const [error] = errors;
    if (reason || reason === undefined) assertStrictEquals(error, reason ?? null);
    else {
      assertInstanceOf(error, StageError);
      assertStrictEquals((error as StageError).reason, reason);
    }
  }
});

test("a writable refuses null and what node refuses, and is destroyed", async () => {
  for (const [node, chunk] of [[writer(() => {}), null], [new PassThrough(), 5]] as const) {
    const defaultWriter = fromNode(node, { as: "writable" }).getWriter();
    defaultWriter.closed.catch(() => {});
    assertInstanceOf((await rejection(defaultWriter.write(chunk))).reason, TypeError);
    assertEquals(node.destroyed, true);
  }
});

test("a writable that fails while it is written to fails that write", async () => {
  const reason = new Error("at once");
  // As streams do that are older than those of node.
  class Hasty extends Writable {
    override write(): boolean {
      this.emit("error", reason);
      return false;
    }
  }
  const defaultWriter = fromNode(new Hasty(), { as: "writable" }).getWriter();
  defaultWriter.closed.catch(() => {});
  assertStrictEquals((await rejection(defaultWriter.write(1))).reason, reason);
  assertStrictEquals((await rejection(defaultWriter.closed)).reason, reason);
});

test("buffers are bytes only where the stream is one of bytes", async () => {
  const bytes = Buffer.from("a");
  const [chunk] = await Array.fromAsync(fromNode(Readable.from([bytes])));
  assertStrictEquals(chunk, bytes);
});

test("a writable is closed by its finish, not by a drain on the way there", async () => {
  let finish = (): void => {};
  const node = new Writable({
    objectMode: true,
    final(done) {
      this.emit("drain");
      finish = done;
    },
  });
  let isClosed = false;
  const closing = fromNode(node, { as: "writable" }).close().then(() => isClosed = true);
  await settle();
  assertEquals(isClosed, false);
  finish();
  await closing;
});

test("an error that comes after the end crashes nothing", async () => {
  const node = new Readable({ objectMode: true, autoDestroy: false, read() {} });
  node.push(null);
  assertEquals(await Array.fromAsync(fromNode(node)), []);
  node.destroy(new Error("late"));
  await settle();
  assertEquals([node.closed, listenersOf(node).every((count) => count === 0)], [true, true]);
});

test("a stalled writable is aborted at once, with the very value, whatever it does", async () => {
  for (const reason of reasons) {
    for (const stall of ["write", "final"] as const) {
      const told: unknown[] = [];
      const node = new Writable({
        objectMode: true,
        highWaterMark: 1,
        [stall]: () => {},
        destroy(error, done) {
          told.push(error instanceof StageError ? error.reason : error);
          done(error);
        },
      });
      const defaultWriter = fromNode(node, { as: "writable" }).getWriter();
      const closed = rejection(defaultWriter.closed);
      if (stall === "write") defaultWriter.write(1).catch(() => {});
      else defaultWriter.close().catch(() => {});
      await settle();
      await defaultWriter.abort(reason).catch(() => {});
      await settle();
      // A signal takes `undefined` for no reason, and only it reaches a sink that closes.
      if (stall === "write" || reason !== undefined) assertStrictEquals(told[0], reason);
      assertEquals([told.length, node.closed], [1, true]);
      if (stall === "write") assertStrictEquals((await closed).reason, reason);
    }
  }
});

test("a duplex that ends early ends the pipe and cancels its endless source", async () => {
  let cancels = 0;
  let taken = 0;
  const early = transformer({
    transform: (chunk, controller) => {
      controller.enqueue(chunk);
      if (++taken === 3) controller.terminate();
    },
  });
  const source = new ReadableStream({
    pull: (controller) => controller.enqueue(1),
    cancel: () => void cancels++,
  });
  const result = source.pipeThrough(fromNode(early, { as: "pair" }));
  assertEquals(await Array.fromAsync(result), [1, 1, 1]);
  await settle();
  assertEquals(cancels, 1);
});

test("a stream that is left open is adapted once, also if several runs write to it at a time", async () => {
  const duplex = new PassThrough();
  const readable = fromNode(duplex);
  assertStrictEquals(fromNode(duplex, { highWaterMark: 1 }), readable);
  assertStrictEquals(fromNode(duplex, { as: "pair" }).readable, readable);
  assertThrows(
    () => fromNode(duplex, { highWaterMark: 2 }),
    TypeError,
    "Cannot convert from node: the stream is read already, with a highWaterMark of 1",
  );
  await readable.cancel();
  assertEquals(fromNode(duplex) === readable, false);
  const node = late();
  const open = (highWaterMark?: number) => fromNode(node, { as: "writable", highWaterMark });
  assertStrictEquals(open(), open(1));
  assertEquals(open() === open(2), false);
  let counts: number[] | undefined;
  for (let round = 0; round < 10; round++) {
    const runs = Array.from(
      { length: 3 },
      () => pipeline([1, 2], open(), { preventClose: true }),
    );
    await Promise.all(runs);
    counts ??= listenersOf(node);
    assertEquals(listenersOf(node), counts);
  }
});

test("bytes are copied, unless they fill the buffer and go one way; objects never are", async () => {
  const bytes = new Uint8Array(8);
  const given = async (node: Writable, chunk: unknown) => {
    const chunks: Uint8Array[] = [];
    node._write = (chunk, _encoding, done) => {
      chunks.push(chunk);
      done();
    };
    await fromNode(node, { as: "writable" }).getWriter().write(chunk);
    return chunks[0]!;
  };
  const duplex = (options: object) => Object.assign(new PassThrough(options), { _transform: null });
  const cases: [Writable, boolean][] = [
    [new Writable({ highWaterMark: 9 }), true],
    [new Writable({ highWaterMark: 8 }), false],
    [duplex({ highWaterMark: 8 }), true],
    [new Writable({ objectMode: true }), false],
  ];
  for (const [node, isCopied] of cases) {
    const chunk = await given(node, bytes);
    assertEquals([chunk.length, chunk.buffer !== bytes.buffer], [8, isCopied]);
  }
  for (const view of [new Uint16Array(4), new DataView(bytes.buffer)]) {
    assertEquals((await given(new Writable(), view)).length, 8);
  }
});

test("streams of odd kinds fail a run or not, and are destroyed", async () => {
  const broken = new Error("broken");
  const acting = (act: (node: Writable) => void) =>
    late({
      write(this: Writable, chunk: unknown, _encoding: string, done: () => void) {
        if (chunk === 2) act(this);
        done();
      },
    });
  const final = (done: (error: Error) => void) => done(broken);
  const cases: Record<string, [Writable, unknown, RunOptions?]> = {
    "whose final fails": [late({ final }), broken],
    "whose final fails later": [
      late({ final: (done: (error: Error) => void) => void setImmediate(() => final(done)) }),
      broken,
    ],
    "that does not destroy itself": [
      late({
        autoDestroy: false,
        write: (_chunk: unknown, _encoding: string, done: (error: Error) => void) =>
          void setImmediate(() => done(broken)),
      }),
      broken,
    ],
    "destroyed in a write": [acting((node) => node.destroy()), "ERR_STREAM_PREMATURE_CLOSE"],
    "destroyed in a write, with an error": [acting((node) => node.destroy(broken)), broken],
    "ended in a write": [
      acting((node) => node.end()),
      "Cannot write: the node stream has ended",
    ],
    "that never says that it is closed": [late({ emitClose: false }), undefined],
    "that is held back and left open": [
      late(),
      undefined,
      { preventClose: true },
    ],
    "that calls nothing back and is left open": [
      Object.assign(late(), {
        write(this: Writable, chunk: unknown) {
          return (Writable.prototype.write as (chunk: unknown) => boolean).call(this, chunk);
        },
      }),
      undefined,
      { preventClose: true },
    ],
  };
  for (const [name, [node, failure, options]] of Object.entries(cases)) {
    if (name.includes("held back")) node.cork();
    const run: Promise<unknown> = options === undefined
      ? pipeline([1, 2, 3], fromNode(node, { as: "writable" }))
      : pipeline([1, 2, 3], fromNode(node, { as: "writable" }), options);
    if (failure === undefined) await run;
    else {
      const { reason } = await rejection(run);
      const { code, message } = Object(reason);
      if (failure instanceof Error) assertStrictEquals(reason, failure, name);
      else assertEquals(code ?? message, failure, name);
    }
    await settle();
    assertEquals(node.destroyed, options === undefined, name);
    if (options === undefined) assertEquals(node.listenerCount("error"), 0, name);
  }
});

test("a stream that is destroyed and says nothing of it fails the next write", async () => {
  const node = late({ emitClose: false, highWaterMark: 1 });
  const defaultWriter = fromNode(node, { as: "writable" }).getWriter();
  await defaultWriter.write(1);
  node.destroy();
  const { reason } = await rejection(defaultWriter.write(2));
  assertEquals((reason as { code: string }).code, "ERR_STREAM_PREMATURE_CLOSE");
  assertStrictEquals((await rejection(defaultWriter.closed)).reason, reason);
});

test("a write of bytes among objects settles once they are taken", async () => {
  const node = late();
  const defaultWriter = fromNode(node, { as: "writable", highWaterMark: 4 }).getWriter();
  await defaultWriter.write({});
  assertEquals(node.writableLength, 1);
  await defaultWriter.write(new Uint8Array(1));
  assertEquals(node.writableLength, 0);
});

test("the web pipeline and fuse say how a node stream gets into them", async () => {
  const asPair = 'a Node stream; use fromNode(stream, { as: "pair" }) from @hosepipe/streams/node';
  const stages = [new PassThrough(), createGzip(), createReadStream(import.meta.filename!)];
  for (const stage of stages) {
    const run = pipeline([1], stage as never, () => {});
    const { reason } = await rejection(run);
    assertEquals((reason as Error).message, `Cannot run pipeline: stage 1 is ${asPair}`);
    assertThrows(() => fuse(stage as never), TypeError, `Cannot fuse: stage 1 is ${asPair}`);
    assertEquals(stage.destroyed, false);
    stage.destroy();
  }
  const sink = new Writable();
  assertEquals(
    ((await rejection(pipeline([1], sink as never))).reason as Error).message,
    "Cannot run pipeline: sink must be a WritableStream or a function, and come after the stages, " +
      'got a Node stream; use fromNode(writable, { as: "writable" }) from @hosepipe/streams/node',
  );
});

test("a writer of this module that is left open has written all when the run ends", async () => {
  for (const failing of [1, 4, 5]) {
    const written: number[] = [];
    const sink = writer(async (chunk: number) => {
      await new Promise((resolve) => setTimeout(resolve, chunk));
      if (chunk === failing) throw new Error("disk full");
      written.push(chunk);
    }, { concurrency: 4 });
    const web = fromNode(sink, { as: "writable" });
    const run = pipeline([0, 1, 2, 3, 4], web, { preventClose: true });
    const failure = failing === 5 ? undefined : "disk full";
    assertEquals(await run.then(() => undefined, ({ message }) => message), failure);
    if (failing > 1) assertEquals(written, [0, 1, 2, 3, 4].filter((chunk) => chunk !== failing));
  }
});

/** Runs `serve` with the far end of a connection, and `use` with the near one. */
async function withSocket(
  serve: (socket: Socket) => void,
  use: (socket: Socket) => Promise<void>,
): Promise<void> {
  const ground = new Ground("");
  const [near, far] = await ground.sockets();
  serve(far);
  await use(near);
  await ground.close();
}

test("a socket is a pair that closes half by half", async () => {
  await withSocket(
    (socket) => {
      const { readable, writable } = fromNode(socket, { as: "pair" });
      void new Response(readable as ReadableStream<Uint8Array<ArrayBuffer>>).text().then((text) =>
        ReadableStream.from([`got ${text}`]).pipeTo(writable)
      );
    },
    async (socket) => {
      const { readable, writable } = fromNode(socket, { as: "pair" });
      await ReadableStream.from(["Ada ", "Alan"]).pipeTo(writable);
      assertEquals(
        await new Response(readable as ReadableStream<Uint8Array<ArrayBuffer>>).text(),
        "got Ada Alan",
      );
    },
  );
});

test("a socket that is reset fails both sides with its error", async () => {
  await withSocket(
    (socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.resetAndDestroy());
    },
    async (socket) => {
      const { readable, writable } = fromNode(socket, { as: "pair" });
      const writer = writable.getWriter();
      const closed = rejection(writer.closed);
      await writer.write("x");
      const { reason } = await rejection(readable.getReader().read());
      assertEquals((reason as { code: string }).code, "ECONNRESET");
      assertEquals((await closed).reason, reason);
    },
  );
});

const ends: Record<string, (stream: Readable) => void> = {
  "ends": (stream) => void stream.push(null),
  "fails": (stream) => void stream.destroy(new Error("why")),
  "is destroyed": (stream) => void stream.destroy(),
};

for (const [how, end] of Object.entries(ends)) {
  test(`a pull that waits is over when the stream ${how}, and no listener stays`, async () => {
    const stream = new Readable({ objectMode: true, read() {} });
    const source = new NodeSource(stream);
    const said: string[] = [];
    const controller = {
      enqueue: (chunk: unknown) => said.push(`chunk ${chunk}`),
      close: () => said.push("close"),
      error: () => said.push("error"),
    } as unknown as ReadableStreamDefaultController<unknown>;
    source.start(controller);
    stream.push(1);
    await source.pull(controller);
    let isOver = false;
    source.pull(controller).then(() => isOver = true);
    await settle();
    assertEquals([said, isOver], [["chunk 1"], false]);
    end(stream);
    await settle();
    assertEquals([said, isOver], [["chunk 1", how === "ends" ? "close" : "error"], true]);
    assertEquals(stream.listenerCount("readable"), 0);
  });
}
