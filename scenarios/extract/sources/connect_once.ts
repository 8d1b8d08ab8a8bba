import type { Socket } from "node:net";
import { CopySocket } from "./copy_socket.ts";

interface Address {
  readonly host: string | readonly string[];
  readonly port: number | readonly number[];
  readonly path?: string | boolean | undefined;
}

function connectSocket(
  host: string | undefined,
  port: number,
  path: string | undefined,
): Promise<CopySocket> {
  const socket = new CopySocket();
  if (path === undefined) socket.connect(port, host!);
  else socket.connect(path);
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      // Encryption asks it whose certificate there should be.
      resolve(Object.assign(socket, { host, port }));
    });
  });
}

/**
 * Makes what connects to the first of several servers that answers, and to none a second time: a new connection would
 * know nothing of the transaction that was lost with the old one, and trying for it would only pass the time.
 */
export function connectOnce(
  onConnect: (socket: CopySocket) => void,
): (address: Address) => Promise<Socket> {
  let isUsed = false;
  const connectTo = async (...where: Parameters<typeof connectSocket>) => {
    const socket = await connectSocket(...where);
    onConnect(socket);
    return socket;
  };
  return async ({ host, port, path }) => {
    if (isUsed) throw new Error("the connection was lost");
    isUsed = true;
    if (typeof path === "string") return await connectTo(undefined, 0, path);
    const hosts = [host].flat();
    const ports = [port].flat();
    let failure: unknown;
    for (const [index, one] of hosts.entries()) {
      try {
        return await connectTo(one, ports[index] ?? ports[0] ?? 5432, undefined);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  };
}
