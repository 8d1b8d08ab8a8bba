import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { Buffer } from "node:buffer";

/** A server between a client and another server, which can cut what runs through it. */
export interface Proxy {
  /** The address of the other server, by way of this one. */
  readonly address: string;
  /** Connections that are open now. */
  readonly open: number;
  /** Bytes that have come from the other server. */
  readonly received: number;
  /** What clients have sent, each byte a character. */
  readonly sent: string;
  /** Cuts every connection as soon as this many more bytes have come from the other server. */
  cutAfter(bytes: number): void;
  /** Cuts a connection as soon as the other server answers what has this text in it. */
  cutAnswerTo(text: string): void;
  /** Lets nothing through any more, in either direction, as soon as this many more bytes have come. */
  stallAfter(bytes: number): void;
}

/** Gives `use` a proxy for a `mongodb://` or `postgres://` address. */
export async function withProxy(
  address: string,
  use: (proxy: Proxy) => Promise<void>,
): Promise<void> {
  const { hostname, port } = new URL(address);
  const sockets = new Set<Socket>();
  const sent: Buffer[] = [];
  let received = 0;
  let bytesLeft = Infinity;
  let isStalled = false;
  let cutText: string | undefined;
  let stallLeft = Infinity;
  const server: Server = createServer((client) => {
    const upstream = connect(Number(port || 27017), hostname);
    sockets.add(client);
    const end = () => {
      sockets.delete(client);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on("error", end).on("close", end);
    client.on("data", (data) => {
      if (isStalled) return;
      sent.push(Buffer.from(data));
      if (cutText !== undefined && data.includes(cutText)) bytesLeft = 0;
      upstream.write(data);
    });
    upstream.on("data", (data) => {
      received += data.length;
      isStalled ||= (stallLeft -= data.length) <= 0;
      if (isStalled) return;
      bytesLeft -= data.length;
      if (bytesLeft > 0) return void client.write(data);
      for (const socket of sockets) socket.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const ours = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const proxy: Proxy = {
    address: address.replace(/^(\w+:\/\/(?:[^@/]*@)?)[^/?]+/, `$1${ours}`),
    get open() {
      return sockets.size;
    },
    get received() {
      return received;
    },
    get sent() {
      return Buffer.concat(sent).toString("latin1");
    },
    cutAnswerTo: (text) => void (cutText = text),
    cutAfter: (bytes) => void (bytesLeft = bytes),
    stallAfter: (bytes) => void (stallLeft = bytes),
  };
  try {
    await use(proxy);
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}
