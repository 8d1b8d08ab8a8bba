import { Buffer } from "node:buffer";
import { connect, type Socket } from "node:net";

function tryOnce(port: number, text: string): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.once("close", () => reject(new Error("the server has closed the connection")));
  socket.once("data", () => {
    socket.pause();
    resolve(socket);
  });
  socket.write(text);
  return promise;
}

/**
 * Asks a server, reads a little of its answer and stands still. Where the server closes the connection before that, as
 * one that waits for no client may on a busy machine, it asks `tries` times.
 */
export async function beginReading(port: number, text: string, tries = 1): Promise<Socket> {
  while (tries-- > 1) {
    try {
      return await tryOnce(port, text);
    } catch {
      // Asked again.
    }
  }
  return await tryOnce(port, text);
}

/** What came back over a connection that the server has closed. */
export interface RawResponse {
  /** 0 if the server closed without an answer. */
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** Whether the body is as long as its headers, or its chunks, say. */
  readonly isWhole: boolean;
}

/** Takes the chunks of a chunked body apart. */
function decodeChunks(bytes: Buffer): { body: Buffer; isWhole: boolean } {
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd === -1) return { body: Buffer.concat(parts), isWhole: false };
    const size = parseInt(bytes.toString("latin1", at, lineEnd), 16);
    const start = lineEnd + 2;
    if (size === 0) return { body: Buffer.concat(parts), isWhole: true };
    parts.push(bytes.subarray(start, start + size));
    at = start + size + 2;
  }
}

/** Reads an answer's bytes; `method` tells whether it may have a body. */
export function parseResponse(bytes: Buffer, method = "GET"): RawResponse {
  const headEnd = bytes.indexOf("\r\n\r\n");
  const [first = "", ...lines] = bytes.toString("latin1", 0, Math.max(0, headEnd)).split("\r\n");
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1] ?? 0);
  const headers = new Map(lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  }));
  const rest = bytes.subarray(headEnd + 4);
  if (headers.get("transfer-encoding") === "chunked" && method !== "HEAD") {
    return { status, headers, ...decodeChunks(rest) };
  }
  const hasBody = method !== "HEAD" && status !== 304;
  const length = hasBody ? Number(headers.get("content-length") ?? rest.length) : 0;
  return { status, headers, body: rest, isWhole: rest.length === length };
}

/** A request as it goes over the wire; unless a header says otherwise, the connection ends with its answer. */
export function requestText(
  target: string,
  headers: Readonly<Record<string, string>> = {},
  method = "GET",
): string {
  const lines = Object.entries({ Host: "localhost", Connection: "close", ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

/** Asks a server of this machine. */
export async function ask(
  port: number,
  target: string,
  headers: Readonly<Record<string, string>> = {},
  method = "GET",
): Promise<RawResponse> {
  return parseResponse(await rawRequest(port, requestText(target, headers, method)), method);
}

/** What `rawRequest` does besides sending. */
interface RawOptions {
  /** Called once the first bytes have come, while the client reads no more. */
  readonly whilePaused?: () => Promise<void>;
  /** Sent again and again until the connection closes. */
  readonly drip?: string;
  /** The connection is given up after so many milliseconds. */
  readonly timeoutMs?: number;
}

/** Sends `text` as it is and reads until the server closes the connection. */
export function rawRequest(port: number, text: string, options: RawOptions = {}): Promise<Buffer> {
  const { whilePaused, timeoutMs = 60_000, drip = "" } = options;
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const parts: Buffer[] = [];
  const socket = connect(port, "127.0.0.1");
  const timer = setTimeout(() => {
    reject(
      new Error(`the server neither answered nor closed: ${JSON.stringify(text.slice(0, 80))}`),
    );
    socket.destroy();
  }, timeoutMs);
  const dripper = drip === "" ? undefined : setInterval(() => socket.write(drip), 100);
  let pause = whilePaused;
  socket.on("data", (part: Buffer) => {
    parts.push(part);
    if (pause === undefined) return;
    socket.pause();
    pause().then(() => socket.resume(), (error) => {
      reject(error);
      socket.destroy();
    });
    pause = undefined;
  });
  // A server that refuses closes at once, and what we still sent then comes back as a reset.
  socket.on("error", () => {});
  socket.on("close", () => {
    clearTimeout(timer);
    clearInterval(dripper);
    resolve(Buffer.concat(parts));
  });
  socket.write(Buffer.from(text, "latin1"));
  return promise;
}

/** Sends requests over one connection, each when the answer to the last has shown its `until`. */
export function rawRequests(
  port: number,
  requests: readonly { readonly text: string; readonly until: string }[],
): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const socket = connect(port, "127.0.0.1");
  const parts: Buffer[] = [];
  let index = 0;
  let answer = "";
  socket.on("data", (part: Buffer) => {
    parts.push(part);
    answer += part.toString("latin1");
    if (!answer.endsWith(requests[index]!.until) || index + 1 === requests.length) return;
    answer = "";
    socket.write(requests[++index]!.text);
  });
  socket.on("error", () => {});
  socket.on("close", () => resolve(Buffer.concat(parts)));
  socket.write(requests[0]!.text);
  return promise;
}

/** What must come of a request. */
export interface WantedResponse {
  readonly status: number;
  readonly body?: string | Buffer | RegExp | undefined;
  /** What headers must be; `undefined` means absent. */
  readonly headers?: Readonly<Record<string, string | RegExp | undefined>> | undefined;
}

/** What is wrong with an answer, in words. */
export function complaintsOf(wanted: WantedResponse, response: RawResponse): string[] {
  const { status, headers, body, isWhole } = response;
  const found: string[] = [];
  if (status !== wanted.status) found.push(`status ${status}, expected ${wanted.status}`);
  if (!isWhole) found.push("the body is cut");
  const isBody = wanted.body === undefined ||
    (wanted.body instanceof RegExp
      ? wanted.body.test(body.toString())
      : body.equals(Buffer.from(wanted.body)));
  if (!isBody) found.push(`body ${JSON.stringify(body.toString("latin1", 0, 300))}`);
  for (const [name, value] of Object.entries(wanted.headers ?? {})) {
    const actual = headers.get(name);
    const fits = value instanceof RegExp ? value.test(actual ?? "") : actual === value;
    if (!fits) found.push(`${name}: ${actual}, expected ${value}`);
  }
  return found;
}
