import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assertEquals } from "@std/assert";
import type { ListenOptions, RunningServer } from "../../scenarios/serve/running_server.ts";
import {
  type ServeApi,
  type ServeOptions,
  startServer,
} from "../../scenarios/serve/start_server.ts";
import { pattern, withFixture } from "./fixture.ts";
import { remainingFiles } from "./open_files.ts";

/** More than all buffers of the system between a server and a client take. */
export const long = pattern(24 * 2 ** 20);

/** What `deno task serve` runs, in this process. */
export interface OwnServer extends RunningServer {
  readonly root: string;
  readonly base: string;
}

/** Serves the fixture and a long file for as long as `use` takes; in the end no file may be open. */
export function withOwnServer(
  api: ServeApi,
  use: (server: OwnServer) => Promise<void>,
  options: Omit<ServeOptions, "root"> = {},
  limits: ListenOptions["limits"] = {},
): Promise<void> {
  return withFixture(async (root, base) => {
    await writeFile(join(root, "long.bin"), long);
    const where = { host: "127.0.0.1", port: 0, limits };
    const server = await startServer(api, { root, ...options }, where);
    const { port } = server;
    let closed: Promise<void> | undefined;
    const close = (graceMs: number) => closed ??= server.close(graceMs);
    try {
      await use({ root, base, port, close });
      assertEquals(await remainingFiles(base), []);
    } finally {
      await close(0);
    }
  });
}
