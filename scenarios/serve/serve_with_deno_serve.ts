import type { WebHandler } from "../../src/files/web_handler.ts";
import { denoHandler } from "./deno_connection.ts";
import { type ListenOptions, type RunningServer, settleWithin } from "./running_server.ts";

/** How soon `Deno.serve` is tried again after it has ended. */
const retryMs = 100;

/**
 * Serves with `Deno.serve`, again and again: it ends when the process is out of file descriptors. It bounds
 * the size of a request's line and headers itself and has no option for that, nor one for time: who waits
 * for nothing keeps the connection, though never a file.
 */
export function serveWithDenoServe(
  handler: WebHandler,
  listen: ListenOptions,
): Promise<RunningServer> {
  const { host, onTrouble } = listen;
  const abort = new AbortController();
  const answer = denoHandler(handler, listen);
  let isClosing = false;

  function start(port: number): Deno.HttpServer<Deno.NetAddr> {
    const server = Deno.serve({
      hostname: host,
      port,
      onListen() {},
      onError: () => new Response(null, { status: 500 }),
    }, (request, info) => answer(request, info, abort.signal));
    server.finished.catch(async (error) => {
      onTrouble?.(`the server has ended (${(error as Error).message}); listening again`);
      while (!isClosing) {
        await new Promise((resolve) => setTimeout(resolve, retryMs));
        try {
          if (!isClosing) current = start(server.addr.port);
          return;
        } catch {
          // Still no file for it.
        }
      }
    });
    return server;
  }
  let current = start(listen.port);
  const { port } = current.addr;

  return Promise.resolve({
    port,
    async close(graceMs) {
      isClosing = true;
      const shutdown = current.shutdown();
      if (await settleWithin(shutdown, graceMs)) return;
      // A server that is shutting down can no longer be aborted, so its answers are; one whose client
      // stands still is then nothing but a connection, which ends with the process.
      abort.abort(new Error("Cannot send: the server is closing"));
      await settleWithin(shutdown, 500);
    },
  });
}
