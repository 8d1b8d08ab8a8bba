import { once } from "node:events";
import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream";

/** A server that answers every request with one file. */
export interface EventServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves a file on a port of its own, for the runs of one case. */
export async function serveEvents(path: string): Promise<EventServer> {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "application/x-ndjson");
    pipeline(createReadStream(path), response, () => {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
