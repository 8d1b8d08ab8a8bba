import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";

/** A server that is closed when it is let go of. */
export interface Served extends AsyncDisposable {
  readonly port: number;
}

/** Serves a handler of `node:http`. */
export async function serveNode(listener: RequestListener): Promise<Served> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as { port: number }).port,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
