import type { IncomingMessage, ServerResponse } from "node:http";

/** More requests than that wait on no honest client's connection. */
const mostWaiting = 100;

interface Line {
  waiting: number;
  last: Promise<void>;
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
export function takeTurn(
  request: IncomingMessage,
  response: ServerResponse,
): boolean | Promise<boolean> {
  const { socket } = request as Partial<IncomingMessage>;
  // A request made by hand may have none.
  if (!socket || begun.has(response)) return true;
  begun.add(response);
  const line = lines.get(socket);
  if (line === undefined) {
    const first: Line = { waiting: 1, last: Promise.resolve() };
    lines.set(socket, first);
    first.last = leave(first, request, response);
    return true;
  }
  if (line.waiting >= mostWaiting) {
    socket.destroy();
    return false;
  }
  line.waiting++;
  const before = line.last;
  // In line from now on, though its own end is listened for only when it is first: listeners are limited.
  line.last = before.then(() => socket.destroyed ? undefined : leave(line, request, response));
  return before.then(() => !socket.destroyed);
}
