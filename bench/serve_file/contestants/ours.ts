import { type ServeApi, startServer } from "../../../scenarios/serve/start_server.ts";
import type { ServeMode } from "../../../src/files/handler_options.ts";
import type { ServeFile } from "../job.ts";

/** What `deno task serve` runs, on one kind of streams and in one mode. */
export function ours(api: ServeApi, mode: ServeMode): ServeFile {
  return ({ folder }) => startServer(api, { root: folder, mode }, { host: "127.0.0.1", port: 0 });
}
