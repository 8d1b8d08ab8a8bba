import { createServer, get, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** Has `write` answer one request of `node:http`; gives what the client read. */
export async function answer(
  write: (response: ServerResponse) => Promise<unknown>,
): Promise<Uint8Array> {
  const server = createServer((_, response) => {
    write(response).catch((error) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await new Promise((resolve, reject) => {
      get({ port, host: "127.0.0.1", agent: false }, (message) => resolve(buffer(message)))
        .on("error", reject);
    });
  } finally {
    server.close();
  }
}
