import { setImmediate } from "node:timers";
import { isOutOfFiles } from "../../src/files/failed_answer.ts";
import type { WebHandler } from "../../src/files/web_handler.ts";
import { DenoConnection, serveConnection } from "./deno_connection.ts";
import { type ListenOptions, type RunningServer, settleWithin } from "./running_server.ts";
import { serveWithDenoServe } from "./serve_with_deno_serve.ts";

/** How soon another connection is tried after one that there was no file for. */
const retryMs = 50;

/** After so many in a row that could not be accepted, the next is waited for as long. */
const skippedAtOnce = 128;

/**
 * Serves with what `Deno.serve` is made of, connection by connection. `Deno.serve` itself ends permanently when
 * the process is out of file descriptors, and waits forever for a client that has connected and sends nothing.
 */
export function serveWithDeno(
  handler: WebHandler,
  listen: ListenOptions,
): Promise<RunningServer> {
  const serve = serveConnection;
  if (serve === undefined) return serveWithDenoServe(handler, listen);
  const { host, port, onTrouble } = listen;
  const listener = Deno.listen({ hostname: host, port });
  const connections = new Set<DenoConnection>();
  let isClosing = false;
  let isInTrouble = false;
  let skipped = 0;

  /** Passes over a connection that its client has reset before it was accepted, which costs a client nothing. */
  function skip(error: unknown): Promise<void> {
    // One line for each power of ten: a client must not fill a log.
    if (Number.isInteger(Math.log10(++skipped))) {
      const { message } = error as Error;
      onTrouble?.(`connections that could not be accepted, so far ${skipped} (${message})`);
    }
    return new Promise((resolve) =>
      skipped % skippedAtOnce === 0 ? setTimeout(resolve, retryMs) : setImmediate(resolve)
    );
  }

  /** Makes room, as far as connections that wait for nothing take it. */
  function makeRoom(error: unknown): Promise<void> {
    if (!isInTrouble) {
      onTrouble?.(`no connection can be accepted (${(error as Error).message}); trying again`);
    }
    isInTrouble = true;
    for (const connection of connections) if (connection.isIdle) connection.abort();
    return new Promise((resolve) => setTimeout(resolve, retryMs));
  }

  async function accept(): Promise<void> {
    while (!isClosing) {
      try {
        const connection = new DenoConnection(serve!, await listener.accept(), handler, listen);
        isInTrouble = false;
        connections.add(connection);
        void connection.closed.then(() => connections.delete(connection));
      } catch (error) {
        if (!isClosing) await (isOutOfFiles(error) ? makeRoom : skip)(error);
      }
    }
  }
  void accept();

  return Promise.resolve({
    port: listener.addr.port,
    async close(graceMs) {
      isClosing = true;
      listener.close();
      const closed = Promise.all([...connections].map((connection) => connection.closed));
      for (const connection of connections) connection.finish();
      if (await settleWithin(closed, graceMs)) return;
      for (const connection of connections) connection.abort();
      await settleWithin(closed, 500);
    },
  });
}
