import { assert, assertEquals, assertInstanceOf, assertThrows } from "@std/assert";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import process from "node:process";
import { Duplex, type DuplexOptions, PassThrough, type Readable, Writable } from "node:stream";
import { test } from "node:test";
import { createGunzip, createGzip } from "node:zlib";
import { fromNode } from "@hosepipe/streams/node";
import { rejection } from "./errors.ts";

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** A process of the current runtime that runs `code`; `node:` imports work in all three. */
function run(code: string): Child {
  const prefix = "Deno" in globalThis ? ["eval"] : ["-e"];
  return spawn(process.execPath, [...prefix, `import process from "node:process"; ${code}`], {
    stdio: ["pipe", "pipe", "pipe"],
  });
}

function exitOf(child: Child): Promise<unknown> {
  return new Promise((resolve) => child.on("close", (code, signal) => resolve(signal ?? code)));
}

/** Runs `serve` for each connection, and `use` with a socket connected to it. */
async function withSocket(
  serve: (socket: Socket) => void,
  use: (socket: Socket) => Promise<void>,
): Promise<void> {
  const server = createTcpServer({ allowHalfOpen: true }, serve);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  await new Promise((resolve) => socket.once("connect", resolve));
  try {
    await use(socket);
  } finally {
    socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}

const echo = "process.stdin.pipe(process.stdout);";

test("a child's stdout and stderr are readables, its stdin is a writable", async () => {
  const child = run(`process.stderr.write("noted"); ${echo}`);
  const exit = exitOf(child);
  const [stdout, stderr] = [fromNode(child.stdout), fromNode(child.stderr)];
  const stdin = fromNode(child.stdin, { as: "writable" });
  assertInstanceOf(stdout, ReadableStream);
  assertInstanceOf(stdin, WritableStream);
  const writing = ReadableStream.from(["Ada ", "Alan"]).pipeTo(stdin);
  const [output, errors] = await Promise.all([
    new Response(stdout).text(),
    new Response(stderr).text(),
    writing,
  ]);
  assertEquals([output, errors, await exit], ["Ada Alan", "noted", 0]);
});

test("a child's output of many megabytes arrives whole, read slowly", async () => {
  const child = run(`
    let left = 256;
    const write = () => {
      while (left-- > 0) if (!process.stdout.write("x".repeat(65536))) return process.stdout.once("drain", write);
    };
    write();`);
  const exit = exitOf(child);
  let length = 0;
  for await (const chunk of fromNode(child.stdout)) {
    length += (chunk as Uint8Array).length;
    if (length % 7 === 0) await new Promise((resolve) => setTimeout(resolve));
  }
  assertEquals([length, await exit], [256 * 65536, 0]);
});

test("cancelling a child's stdout lets the child learn of it", async () => {
  const child = run(`
    process.stdout.on("error", () => process.exit(7));
    setInterval(() => process.stdout.write("x"), 1);`);
  const exit = exitOf(child);
  const reader = fromNode<Uint8Array>(child.stdout).getReader();
  assert((await reader.read()).value!.length > 0);
  await reader.cancel();
  assertEquals(child.stdout.destroyed, true);
  assertEquals(await exit, 7);
});

test("a child that is killed ends its streams without an unhandled rejection", async () => {
  const child = run("setInterval(() => {}, 1000);");
  const exit = exitOf(child);
  const stdin = fromNode(child.stdin, { as: "writable" }).getWriter();
  const output = fromNode(child.stdout).getReader();
  child.kill("SIGKILL");
  assertEquals(await output.read(), { done: true, value: undefined });
  assertEquals(await exit, "SIGKILL");
  // It fails by a broken pipe or a premature close: which, differs.
  await stdin.closed.catch((reason) => assertInstanceOf(reason, Error));
});

test("a child's stdin has no readable side, and what is read once has no writable one", async () => {
  const child = run("");
  const exit = exitOf(child);
  assertThrows(
    // @ts-expect-error -- a `Writable` must be asked for as one
    () => fromNode(child.stdin),
    TypeError,
    'the stream has no readable side; use fromNode(stream, { as: "writable" })',
  );
  child.stdin.end();
  await Promise.all([Array.fromAsync(fromNode(child.stdout)), exit]);
  const readOnly = new Duplex({ read() {}, writable: false } as DuplexOptions);
  assertThrows(
    () => fromNode(readOnly, { as: "pair" }),
    TypeError,
    'the stream has no writable side; use fromNode(stream, { as: "readable" })',
  );
  assertThrows(() => fromNode(new Writable() as never), TypeError, "has no readable side");
});

test("a duplex is what it is asked for as, whatever its type says", () => {
  const asReadable: Readable = new PassThrough();
  const asWritable: Writable = new PassThrough();
  const readable: ReadableStream = fromNode(asReadable);
  const writable: WritableStream = fromNode(asWritable, { as: "writable" });
  const pair: ReadableWritablePair = fromNode(new PassThrough(), { as: "pair" });
  assertInstanceOf(readable, ReadableStream);
  assertInstanceOf(writable, WritableStream);
  assertInstanceOf(pair.readable, ReadableStream);
  assertInstanceOf(pair.writable, WritableStream);
  assertInstanceOf(fromNode(new PassThrough()), ReadableStream);
  assertThrows(
    () => fromNode(asReadable, { as: "both" as "readable" }),
    RangeError,
    'as must be "readable", "writable" or "pair", got both',
  );
});

test("a socket is a pair that closes half by half", async () => {
  await withSocket(
    (socket) => {
      const { readable, writable } = fromNode(socket, { as: "pair" });
      void new Response(readable).text().then((text) =>
        ReadableStream.from([`got ${text}`]).pipeTo(writable)
      );
    },
    async (socket) => {
      const { readable, writable } = fromNode(socket, { as: "pair" });
      await ReadableStream.from(["Ada ", "Alan"]).pipeTo(writable);
      assertEquals(await new Response(readable).text(), "got Ada Alan");
    },
  );
});

test("a socket as a readable still has its own writable side", async () => {
  await withSocket(
    (socket) => socket.pipe(socket),
    async (socket) => {
      const text = new Response(fromNode(socket)).text();
      socket.end("echo");
      assertEquals(await text, "echo");
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

test("requests, responses and compressors", async () => {
  const server = createServer((incoming: IncomingMessage, outgoing: ServerResponse) => {
    void fromNode(incoming)
      .pipeThrough(fromNode(createGzip(), { as: "pair" }))
      .pipeTo(fromNode(outgoing, { as: "writable" }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const asking = request({ port, host: "127.0.0.1", method: "POST", agent: false });
  const answered = new Promise<IncomingMessage>((resolve) => asking.on("response", resolve));
  await ReadableStream.from(["Ada ", "Alan"]).pipeTo(fromNode(asking, { as: "writable" }));
  const text = fromNode(await answered).pipeThrough(fromNode(createGunzip(), { as: "pair" }));
  assertEquals(await new Response(text).text(), "Ada Alan");
  await new Promise((resolve) => server.close(resolve));
});

test("a process's own ends: stdin as a readable, stdout as a writable", async () => {
  const entry = new URL("../../node_compat/mod.ts", import.meta.url).href;
  const hook = new URL("../../node_compat/register.mjs", import.meta.url).href;
  const child = run(`
    await import(${JSON.stringify(hook)}).catch(() => {});
    const { fromNode } = await import(${JSON.stringify(entry)});
    const upper = new TransformStream({ transform: (chunk, out) => out.enqueue(new TextEncoder().encode(new TextDecoder().decode(chunk).toUpperCase())) });
    await fromNode(process.stdin).pipeThrough(upper).pipeTo(fromNode(process.stdout, { as: "writable" }));`);
  const exit = exitOf(child);
  child.stdin.end("ada");
  const [output, errors] = await Promise.all([
    new Response(fromNode(child.stdout)).text(),
    new Response(fromNode(child.stderr)).text(),
  ]);
  assertEquals([errors, output, await exit], ["", "ADA", 0]);
});
