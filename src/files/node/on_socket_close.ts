import type { Socket } from "node:net";
import { shareListener } from "../../share_listener.ts";

/** Calls `callback` when `socket` closes, until what it answers is called: pipelined requests would be too many listeners. */
export const onSocketClose: (socket: Socket, callback: () => void) => () => void = shareListener(
  (socket, listener) => socket.on("close", listener),
  (socket, listener) => socket.removeListener("close", listener),
);
