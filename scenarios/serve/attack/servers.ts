import { type RuntimeName, runtimeNames } from "../../../runtimes/current_runtime.ts";
import { type ServeApi, serveApis, startServer } from "../start_server.ts";
import { localHosts } from "../local_hosts.ts";

/** A server that can be attacked. */
export interface AttackedServer {
  readonly name: string;
  readonly runtime: RuntimeName;
  readonly api: ServeApi;
}

/** Ours as `deno task serve` runs them. */
export const attackedServers: readonly AttackedServer[] = runtimeNames.flatMap((runtime) =>
  serveApis.map((api) => ({ name: `ours, ${runtime}, ${api}`, runtime, api }))
);

/** Starts a server in this process; returns its port. */
export async function startAttacked(api: ServeApi, root: string): Promise<number> {
  const allowedHosts = localHosts("127.0.0.1");
  const where = { host: "127.0.0.1", port: 0 };
  return (await startServer(api, { root, allowedHosts, onError() {} }, where)).port;
}
