import { Buffer } from "node:buffer";
import { connect, type Socket } from "node:net";

/** Where a server is. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

/** What came back; `isClosed` if the server closed the connection, or the answer was whole. */
export interface Talk {
  readonly text: string;
  readonly isClosed: boolean;
  readonly elapsedMs: number;
}

/** Sends bytes as they are over a connection of their own, and reads until it is closed or time is up. */
export function talk({ host, port }: Place, text: string, timeoutMs = 5000): Promise<Talk> {
  const { promise, resolve } = Promise.withResolvers<Talk>();
  const startedAt = performance.now();
  const parts: Buffer[] = [];
  const socket = connect(port, host);
  const settle = (isClosed: boolean) => {
    clearTimeout(timer);
    socket.destroy();
    const received = Buffer.concat(parts).toString("latin1");
    resolve({ text: received, isClosed, elapsedMs: performance.now() - startedAt });
  };
  const timer = setTimeout(() => settle(false), timeoutMs);
  socket.on("data", (part: Buffer) => parts.push(part));
  socket.on("error", () => {});
  socket.once("close", () => settle(true));
  socket.write(Buffer.from(text, "latin1"));
  return promise;
}

/** A GET of which the connection is closed after the answer. */
export function get(place: Place, target: string, headers = ""): string {
  return `GET ${target} HTTP/1.1\r\nHost: ${place.host}:${place.port}\r\nConnection: close\r\n${headers}\r\n`;
}

/** The status of an answer; 0 if there was none. */
export function statusOf({ text }: Talk): number {
  return Number(/^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1] ?? 0);
}

/** Opens a connection and sends something, without reading; `undefined` if it is refused. */
export function hold({ host, port }: Place, text: string): Promise<Socket | undefined> {
  const socket = connect(port, host);
  socket.pause();
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(socket), 3000);
    socket.on("error", () => resolve(undefined));
    socket.once("connect", () => {
      clearTimeout(timer);
      if (text !== "") socket.write(text);
      resolve(socket);
    });
  });
}

/** Runs `use` with every item, `parallel` at a time. */
export async function forAll<T>(
  items: readonly T[],
  parallel: number,
  use: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  await Promise.all(Array.from({ length: parallel }, async () => {
    while (next < items.length) await use(items[next++]!);
  }));
}

/** Waits. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
