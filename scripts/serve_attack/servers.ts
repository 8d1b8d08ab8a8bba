import { createServer, type RequestListener } from "node:http";
import { once } from "node:events";
import { type RuntimeName, runtimeNames } from "../../runtimes/current_runtime.ts";
import { type ServeApi, startServer } from "../../scenarios/serve/start_server.ts";
import { localHosts } from "../serve/local_hosts.ts";

/** A server that can be attacked. */
export interface AttackedServer {
  readonly name: string;
  readonly runtime: RuntimeName;
  readonly isOurs: boolean;
}

const ours = runtimeNames.flatMap((runtime) =>
  (["web", "node"] as const).map((api) => ({
    name: `ours, ${runtime}, ${api}`,
    runtime,
    isOurs: true,
  }))
);

/** Ours as `deno task serve` runs them, and what they are compared with, as its users run it. */
export const attackedServers: readonly AttackedServer[] = [
  ...ours,
  { name: "sirv", runtime: "node", isOurs: false },
  { name: "send", runtime: "node", isOurs: false },
  { name: "express.static", runtime: "node", isOurs: false },
  { name: "srvx", runtime: "node", isOurs: false },
  { name: "hono", runtime: "bun", isOurs: false },
  { name: "nginx", runtime: "node", isOurs: false },
];

async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as { port: number }).port;
}

const starters: Readonly<Record<string, (root: string) => Promise<number>>> = {
  async "express.static"(root) {
    const { default: express } = await import("express");
    const app = express();
    app.use(express.static(root));
    return await listen(app);
  },
  async hono(root) {
    const { Hono } = await import("hono");
    const { serveStatic } = await import("hono/bun");
    const app = new Hono();
    app.use("*", serveStatic({ root }));
    const { Bun } = globalThis as unknown as {
      Bun: { serve(options: object): { readonly port: number } };
    };
    return Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: app.fetch }).port;
  },
};

/** Starts a server in this process; returns its port. */
export async function startAttacked(name: string, root: string): Promise<number> {
  if (name.startsWith("ours")) {
    const api = name.split(", ").at(-1) as ServeApi;
    const allowedHosts = localHosts("127.0.0.1");
    const where = { host: "127.0.0.1", port: 0 };
    return (await startServer(api, { root, allowedHosts, onError() {} }, where)).port;
  }
  const starter = starters[name];
  if (starter !== undefined) return await starter(root);
  const { nginx, peers } = await import("./peers.ts");
  const peer = [...peers, nginx].find((one) => one.name === name)!;
  return (await peer.start(root)).port;
}
