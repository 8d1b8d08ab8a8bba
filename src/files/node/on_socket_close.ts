import type { Socket } from "node:net";

/** What waits for a socket to close, by one listener for all: pipelined requests are more than node's limit allows. */
interface Waiting {
  readonly callbacks: Set<() => void>;
  readonly onClose: () => void;
}

const waitingFor = new WeakMap<Socket, Waiting>();

function listen(socket: Socket): Waiting {
  const callbacks = new Set<() => void>();
  const onClose = (): void => callbacks.forEach((callback) => callback());
  socket.on("close", onClose);
  const waiting = { callbacks, onClose };
  waitingFor.set(socket, waiting);
  return waiting;
}

/** Calls `callback` when `socket` closes, until what it answers is called; no listener stays after the last. */
export function onSocketClose(socket: Socket, callback: () => void): () => void {
  const { callbacks, onClose } = waitingFor.get(socket) ?? listen(socket);
  callbacks.add(callback);
  return () => {
    if (!callbacks.delete(callback) || callbacks.size > 0) return;
    socket.removeListener("close", onClose);
    waitingFor.delete(socket);
  };
}
