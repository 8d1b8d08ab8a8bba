import { join } from "node:path";
import type { ServeFile } from "../job.ts";

interface BunGlobal {
  file(path: string): BodyInit;
  serve(options: { hostname: string; port: number; fetch(): Response }): {
    readonly port: number;
    stop(closeActiveConnections: boolean): Promise<void>;
  };
}

export const bunFile: ServeFile = ({ folder, name }) => {
  const { Bun } = globalThis as unknown as { Bun: BunGlobal };
  const path = join(folder, name);
  const fetch = () => new Response(Bun.file(path));
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch });
  return Promise.resolve({ port: server.port, close: () => server.stop(true) });
};
