import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { closeNodeServer, type RunningServer } from "../../scenarios/serve/running_server.ts";
import type { ServeApi } from "../../scenarios/serve/start_server.ts";
import type { ServeMode } from "../../src/files/handler_options.ts";
import type { Contestant } from "../measure/workload.ts";

/** What a contestant serves, and how. */
interface ServeFileJob {
  readonly folder: string;
  /** The one file in it that is asked for. */
  readonly name: string;
}

/** Starts a server on a free port of 127.0.0.1. */
export type ServeFile = (job: ServeFileJob) => Promise<RunningServer>;

interface BunGlobal {
  file(path: string): BodyInit;
  serve(options: { hostname: string; port: number; fetch(): Response }): {
    readonly port: number;
    stop(closeActiveConnections: boolean): Promise<void>;
  };
}

/** What `deno task serve` runs, on one kind of streams and in one mode. */
function ours(mode: ServeMode, api: ServeApi, about: string): Contestant<ServeFile> {
  return {
    name: `${mode}-${api}`,
    about,
    load: async () => {
      const { startServer } = await import("../../scenarios/serve/start_server.ts");
      const address = { host: "127.0.0.1", port: 0 };
      return ({ folder }) => startServer(api, { root: folder, mode }, address);
    },
  };
}

/** Every contestant of serve_file. */
export const contestants: readonly Contestant<ServeFile>[] = [
  ours("buffer", "web", "Request to Response, each file read whole before it is sent"),
  ours("stream", "web", "Request to Response, a ReadableStream of 256 KiB chunks read on demand"),
  ours("buffer", "node", "node:http, each file read whole before it is sent"),
  ours("stream", "node", "node:http and node:stream, 256 KiB chunks read on demand"),
  {
    name: "bun-file",
    about: "Bun's own way: Bun.serve answers with Bun.file",
    runtimes: ["bun"],
    load: () => ({ folder, name }) => {
      const { Bun } = globalThis as unknown as { Bun: BunGlobal };
      const path = join(folder, name);
      const fetch = () => new Response(Bun.file(path));
      const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch });
      return Promise.resolve({ port: server.port, close: () => server.stop(true) });
    },
  },
  {
    name: "deno-open",
    about: "Deno's own way: Deno.serve answers with Deno.open().readable",
    runtimes: ["deno"],
    load: () => async ({ folder, name }) => {
      const path = join(folder, name);
      const headers = { "content-length": String((await Deno.stat(path)).size) };
      const abort = new AbortController();
      const options = { hostname: "127.0.0.1", port: 0, signal: abort.signal, onListen() {} };
      const server = Deno.serve(
        options,
        async () => new Response((await Deno.open(path)).readable, { headers }),
      );
      return {
        port: server.addr.port,
        close() {
          abort.abort();
          return server.finished;
        },
      };
    },
  },
  {
    name: "create-read-stream",
    about: "Node's own way: createReadStream().pipe() into node:http's response",
    runtimes: ["node"],
    load: () => async ({ folder, name }) => {
      const path = join(folder, name);
      const { size } = await stat(path);
      const server = createServer((_request, response) => {
        response.writeHead(200, { "content-length": size });
        createReadStream(path).pipe(response);
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
      const { port } = server.address() as { port: number };
      return { port, close: (graceMs) => closeNodeServer(server, graceMs) };
    },
  },
];
