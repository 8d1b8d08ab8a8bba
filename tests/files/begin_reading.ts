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
