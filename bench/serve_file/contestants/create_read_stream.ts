import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { closeNodeServer } from "../../../scenarios/serve/running_server.ts";
import type { ServeFile } from "../job.ts";

export const createReadStreamPipe: ServeFile = async ({ folder, name }) => {
  const path = join(folder, name);
  const { size } = await stat(path);
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-length": size });
    createReadStream(path).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const { port } = server.address() as { port: number };
  return { port, close: (graceMs) => closeNodeServer(server, graceMs) };
};
