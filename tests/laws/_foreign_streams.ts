import { Buffer } from "node:buffer";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import { assertEquals } from "@std/assert";
import { createGunzip, createGzip, gzipSync } from "node:zlib";

/** A stream of others that is written to. */
export interface ForeignSink {
  readonly stream: Writable;
  /** All that came at its far end, once that has ended. */
  readonly arrived: Promise<string>;
}

/** A stream of others that is read: it gives each of its chunks, then stands still or ends. */
export interface ForeignSource {
  readonly stream: Readable | ReadableStream<Uint8Array>;
  /** Settles once the far end knows that no more is read, where there is one. */
  readonly left?: () => Promise<unknown>;
}

/** What the streams of one run stand on, given back at the end of it. */
export class Ground {
  readonly #folder: string;
  readonly #closers: (() => unknown)[] = [];
  static #files = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  path(): string {
    return join(this.#folder, `file-${Ground.#files++}`);
  }

  /** Keeps what is to be closed. */
  keep<Closable>(closable: Closable, close: (closable: Closable) => unknown): Closable {
    this.#closers.push(() => close(closable));
    return closable;
  }

  keepStream<Stream extends Readable | Writable>(stream: Stream): Stream {
    return this.keep(stream, () => stream.on("error", () => {}).destroy());
  }

  async close(): Promise<void> {
    for (const close of this.#closers.reverse()) await close();
  }

  /** Both ends of a connection. */
  async sockets(): Promise<[near: Socket, far: Socket]> {
    const server = createTcpServer({ allowHalfOpen: true });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const near = this.keepStream(connect({ port, host: "127.0.0.1" }));
    const [[far]] = await Promise.all([once(server, "connection"), once(near, "connect")]);
    server.close();
    return [near, this.keepStream(far as Socket).on("error", () => {})];
  }

  /** A request as client and server see it, and the answer on its way from the server to the client. */
  async exchange(): Promise<Exchange> {
    const { server, port } = await this.server();
    const asking = request({ port, host: "127.0.0.1", method: "POST", agent: false });
    this.keep(asking, () => asking.on("error", () => {}).destroy());
    const answer = once(asking, "response").then(([answer]) => this.keepStream(answer));
    answer.catch(() => {});
    asking.flushHeaders();
    const [asked, answering] = await once(server, "request");
    this.keep(answering, () => answering.on("error", () => {}).destroy());
    return { asking, asked, answering, answer };
  }

  async server(): Promise<{ server: Server; port: number }> {
    const server = this.keep(createServer(), (server) => {
      server.close();
      server.closeAllConnections();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return { server, port: (server.address() as AddressInfo).port };
  }
}

interface Exchange {
  readonly asking: Writable;
  readonly asked: IncomingMessage;
  readonly answering: ServerResponse;
  readonly answer: Promise<IncomingMessage>;
}

/** All that a stream gives until it is closed, as text. */
export async function textOf(stream: Readable): Promise<string> {
  const parts: string[] = [];
  stream.on("error", () => {}).on(
    "data",
    (chunk) => parts.push(Buffer.from(chunk).toString("latin1")),
  );
  await new Promise((resolve) => stream.once("close", resolve).once("end", resolve));
  return parts.join("");
}

/** A stream that looks at what it was given a turn later, as those do that hand it to the system. */
function lateWritable(
  ground: Ground,
  options: { objectMode?: boolean; highWaterMark: number },
): ForeignSink {
  const parts: string[] = [];
  const stream = ground.keepStream(
    new Writable({
      ...options,
      write(chunk, _encoding, done) {
        setImmediate(() => {
          parts.push(Buffer.from(chunk).toString("latin1"));
          done();
        });
      },
    }),
  );
  const arrived = new Promise<string>((resolve) =>
    stream.once("finish", () => resolve(parts.join("")))
  );
  return { stream, arrived };
}

type OpenSink = (ground: Ground) => ForeignSink | Promise<ForeignSink>;

export const sinks: Readonly<Record<string, OpenSink>> = {
  "a file"(ground) {
    const path = ground.path();
    const stream = ground.keepStream(createWriteStream(path));
    const closed = new Promise((resolve) => stream.once("close", resolve));
    const arrived = closed.then(() => readFile(path, "latin1"));
    // A test that does not ask what arrived may be over before the file is closed.
    arrived.catch(() => {});
    return { stream, arrived };
  },
  async "a socket"(ground) {
    const [near, far] = await ground.sockets();
    far.once("end", () => far.end());
    return { stream: near.resume(), arrived: textOf(far) };
  },
  async "a response of node:http"(ground) {
    const { answering, answer } = await ground.exchange();
    return { stream: answering, arrived: answer.then(textOf, () => "") };
  },
  async "a request of node:http"(ground) {
    const { asking, asked, answering, answer } = await ground.exchange();
    answer.then((answer) => answer.resume(), () => {});
    asked.once("end", () => answering.end());
    return { stream: asking, arrived: textOf(asked) };
  },
  "createGzip()"(ground) {
    const stream = ground.keepStream(createGzip());
    return { stream, arrived: textOf(ground.keepStream(stream.pipe(createGunzip()))) };
  },
  "the input of a child process"(ground) {
    const child = ground.keep(spawn("cat"), (child) => child.kill());
    return { stream: child.stdin, arrived: textOf(child.stdout) };
  },
  "a PassThrough"(ground) {
    const stream = ground.keepStream(new PassThrough());
    return { stream, arrived: textOf(stream) };
  },
  "a Writable of bytes": (ground) => lateWritable(ground, { highWaterMark: 40 }),
  "a Writable of objects": (ground) => lateWritable(ground, { highWaterMark: 4, objectMode: true }),
};

type OpenSource = (
  ground: Ground,
  chunks: readonly string[],
  ends: boolean,
) => ForeignSource | Promise<ForeignSource>;

function feed(stream: Writable, chunks: readonly string[], ends: boolean): void {
  for (const chunk of chunks) stream.write(chunk);
  if (ends) stream.end();
}

const closing = (stream: Readable | Writable | ServerResponse): Promise<unknown> =>
  new Promise((resolve) => stream.on("error", () => {}).once("close", resolve));

export const sources: Readonly<Record<string, OpenSource>> = {
  async "a file"(ground, chunks) {
    const path = ground.path();
    await writeFile(path, chunks.join(""));
    return { stream: ground.keepStream(createReadStream(path, { highWaterMark: 8 })) };
  },
  async "a socket"(ground, chunks, ends) {
    const [near, far] = await ground.sockets();
    far.resume().once("end", () => far.end());
    feed(far, chunks, ends);
    const closed = closing(far);
    return { stream: near, left: () => closed };
  },
  async "a request of node:http"(ground, chunks, ends) {
    const { asking, asked, answering, answer } = await ground.exchange();
    feed(asking, chunks, ends);
    // It may still be answered.
    const left = async () => {
      answering.end("answer");
      assertEquals(await textOf(await answer), "answer");
    };
    return { stream: asked, left };
  },
  async "an answer to node:http"(ground, chunks, ends) {
    const { answering, answer } = await ground.exchange();
    feed(answering as unknown as Writable, chunks, ends);
    const closed = closing(answering);
    return { stream: await answer, left: () => closed };
  },
  "createGunzip()"(ground, chunks, ends) {
    const stream = ground.keepStream(createGunzip());
    const bytes = gzipSync(chunks.join(""));
    feed(stream, [bytes.subarray(0, ends ? undefined : -4) as never], ends);
    return { stream };
  },
  "the output of a child process"(ground, chunks, ends) {
    const child = ground.keep(spawn("cat"), (child) => child.kill());
    child.stdin.on("error", () => {});
    feed(child.stdin, chunks, ends);
    return { stream: child.stdout };
  },
  "a PassThrough"(ground, chunks, ends) {
    const stream = ground.keepStream(new PassThrough());
    feed(stream, chunks, ends);
    return { stream };
  },
  "a Readable of objects"(ground, chunks, ends) {
    const stream = ground.keepStream(new Readable({ objectMode: true, read() {} }));
    for (const chunk of chunks) stream.push(Buffer.from(chunk));
    if (ends) stream.push(null);
    return { stream };
  },
  async "a body of fetch"(ground, chunks, ends) {
    const { server, port } = await ground.server();
    const request = once(server, "request");
    const fetched = fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "" });
    const [, answering] = await request;
    const closed = closing(answering);
    feed(answering, chunks, ends);
    return { stream: (await fetched).body!, left: () => closed };
  },
};
