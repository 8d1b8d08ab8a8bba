import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A server between workers and a queue's server, which parts them for a time. */
export interface HoldProxy {
  /** The address of the other server, by way of this one. */
  readonly address: string;
  /** Lets nothing through on about half of the connections, and says nothing; `release` lets it come late. */
  hold(): void;
  release(): void;
  /** Ends every connection, and each new one, until `mend` is called. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

/** Puts a proxy before a server on this machine. */
export async function openHoldProxy(address: string): Promise<HoldProxy> {
  const { hostname, port } = new URL(address);
  const pairs = new Set<readonly [Socket, Socket]>();
  let isCut = false;
  const server = createServer((client) => {
    if (isCut) return void client.destroy();
    const upstream = connect(Number(port), hostname);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of pair) socket.on("error", end).on("close", end);
    client.on("data", (data) => upstream.write(data));
    upstream.on("data", (data) => client.write(data));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const ours = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cut = () => {
    for (const [client] of pairs) client.destroy();
  };
  return {
    address: address.replace(/^(\w+:\/\/(?:[^@/]*@)?)[^/?]+/, `$1${ours}`),
    hold() {
      for (const pair of pairs) {
        if (Math.random() < 0.5) { for (const socket of pair) socket.pause(); }
      }
    },
    release() {
      for (const pair of pairs) for (const socket of pair) socket.resume();
    },
    cut() {
      isCut = true;
      cut();
    },
    mend() {
      isCut = false;
    },
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
