import { join } from "node:path";
import type { ServeFile } from "../job.ts";

export const denoOpen: ServeFile = async ({ folder, name }) => {
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
};
