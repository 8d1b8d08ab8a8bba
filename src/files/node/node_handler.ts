import { Buffer } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Answerer, type FileAnswer, type FilePart, reasons } from "../file_request.ts";
import { errorTeller, failedAnswer, untilUnchanged } from "../failed_answer.ts";
import { FileRange, wholeBody } from "../file_range.ts";
import type { Settings } from "../read_settings.ts";
import { resolveTarget } from "../resolve_target.ts";
import type { Socket } from "node:net";
import { shareListener } from "../../share_listener.ts";

/** Calls `callback` when `socket` closes, until what it answers is called: pipelined requests would be too many listeners. */
export const onSocketClose: (socket: Socket, callback: () => void) => () => void = shareListener(
  (socket, listener) => socket.on("close", listener),
  (socket, listener) => socket.removeListener("close", listener),
);

/** More requests than that wait on no honest client's connection. */
const mostWaiting = 100;

interface Line {
  waiting: number;
  last?: Promise<void>;
}

const lines = new WeakMap<object, Line>();

/** Answers that have had their turn: several handlers may be asked for one. */
const begun = new WeakSet<ServerResponse>();

/** Settles when an answer is over, or its connection is; the next in line has its turn then. */
function leave(line: Line, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { socket } = request;
  return new Promise((resolve) => {
    const over = () => {
      response.off("finish", over).off("close", over);
      socket.off("close", over);
      if (--line.waiting === 0) lines.delete(socket);
      resolve();
    };
    response.once("finish", over).once("close", over);
    socket.once("close", over);
  });
}

/**
 * Waits until the answers to the requests before this one on its connection are over: a client that asks ahead and
 * reads nothing must not have a file open for each of its requests. A client that asks too far ahead is cut off.
 *
 * @returns Whether there is still a client to answer.
 */
export async function takeTurn(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const { socket } = request as Partial<IncomingMessage>;
  // A request made by hand may have none.
  if (!socket || begun.has(response)) return true;
  begun.add(response);
  const line: Line = lines.get(socket) ?? { waiting: 0 };
  if (line.waiting >= mostWaiting) {
    socket.destroy();
    return false;
  }
  lines.set(socket, line);
  line.waiting++;
  const before = line.last;
  const begin = () => leave(line, request, response);
  // In line from now on, though its own end is listened for only when it is first: listeners are limited.
  line.last = before?.then(() => socket.destroyed ? undefined : begin()) ?? begin();
  await before;
  return before === undefined || !socket.destroyed;
}

/** Answers a request of `node:http`; settles when the answer is over, and never rejects. */
export type NodeHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: () => void,
) => Promise<void>;

/** What the handlers of `node:http` have besides what makes their answers. */
export interface NodeOptions {
  /** Whether `next` is called for what is nothing of ours. */
  readonly fallthrough?: boolean | undefined;
  readonly onError?: ((error: unknown, request: IncomingMessage) => void) | undefined;
  /** Called once for each answer of ours, when it is over, with the bytes of its body. */
  readonly onEnd?: ((request: IncomingMessage, status: number, sent: number) => void) | undefined;
}

/** Reads a header; repeated lines are one list, as `Headers` has it and `node:http` not always. */
function headerOf({ rawHeaders }: IncomingMessage, name: string): string | undefined {
  const values = rawHeaders.filter((_, index) =>
    index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === name
  );
  return values.length > 0 ? values.join(", ") : undefined;
}

function writeHead(response: ServerResponse, { status, headers }: FileAnswer): void {
  response.writeHead(status, reasons[status]!, { ...headers });
}

/** Writes chunks to a response, and gives each back for the next read once it has left. */
function responseSink(
  // A request made by hand may have none.
  { socket }: Partial<IncomingMessage>,
  response: ServerResponse,
  chunks: FileRange,
): Writable {
  const sink = new Writable({
    objectMode: true,
    highWaterMark: 1,
    write(chunk, _encoding, callback) {
      response.write(chunk, (error) => {
        // After a failure nothing is read, so no matter whether it has left.
        chunks.release(chunk);
        callback(error);
      });
    },
    final(callback) {
      response.end(callback);
    },
  });
  const leave = (): void => {
    if (!response.writableFinished) sink.destroy(new Error("Cannot write: the client has left"));
  };
  response.once("close", leave);
  // In Deno an answer that waits for the one before it on its connection is not closed with that.
  if (socket) sink.once("close", onSocketClose(socket, leave));
  return sink;
}

/** The name of the place where a router has put the handler, if it was asked for without its slash. */
function mountNameOf(request: IncomingMessage): string | undefined {
  const { originalUrl } = request as { originalUrl?: string };
  // A router takes its own part of the path away, and what is left of "/files" is "/".
  if (originalUrl === undefined || !/^\/(?:\?|$)/.test(request.url ?? "")) return undefined;
  const target = resolveTarget(originalUrl);
  return target?.isFolder ? undefined : target?.names.at(-1);
}

/** Sends what `answer` finds on `node:http` and `node:stream`. */
export function nodeHandler(
  answer: Answerer,
  settings: Settings,
  { fallthrough = true, onError, onEnd }: NodeOptions,
): NodeHandler {
  const tell = errorTeller(onError);

  /** @returns Whether the answer is over; otherwise `next` has its turn. */
  async function respond(
    request: IncomingMessage,
    response: ServerResponse,
    mayFallThrough: boolean,
  ): Promise<boolean> {
    const { method = "", url = "" } = request;
    const header = (name: string) => headerOf(request, name);
    const mountName = mountNameOf(request);
    const host = header("host") ?? header(":authority");
    const found = await answer({ method, target: url, host, mountName, header });
    if (found.isAbsent && mayFallThrough) return false;
    const { status } = found;
    const whole = await wholeBody(found, settings);
    if (whole !== undefined) {
      writeHead(response, found);
      response.end(whole);
      onEnd?.(request, status, Buffer.byteLength(whole));
      return true;
    }
    const { file, range } = found.body as FilePart;
    // The client may have left while the file was being opened.
    const isThere = !response.destroyed && !(request as Partial<IncomingMessage>).socket?.destroyed;
    try {
      if (isThere) writeHead(response, found);
    } catch (error) {
      await file.close();
      throw error;
    }
    const chunks = new FileRange(file, range, {
      ...settings,
      onIdle: () => response.destroy(),
      onError: (error) => tell(error, request),
      onEnd: (sent) => onEnd?.(request, status, sent),
    });
    try {
      if (!isThere) return true;
      await pipeline(chunks, responseSink(request, response, chunks));
    } catch {
      // The client has left, or the failure has been reported: the answer must not look whole.
      response.destroy();
    } finally {
      await chunks.return();
    }
    return true;
  }

  return async (request, response, next) => {
    const mayFallThrough = fallthrough && next !== undefined;
    if (!await takeTurn(request, response)) return;
    let isOver: boolean;
    try {
      isOver = await untilUnchanged(() => respond(request, response, mayFallThrough));
    } catch (error) {
      tell(error, request);
      isOver = true;
      if (response.headersSent) return void response.destroy();
      const failed = failedAnswer(error, request.method === "HEAD");
      writeHead(response, failed);
      response.end(failed.body);
      onEnd?.(request, failed.status, Buffer.byteLength(failed.body ?? ""));
    }
    if (!isOver) next!();
  };
}
