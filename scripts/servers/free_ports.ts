import { createServer } from "node:net";

/** Below what systems give out by themselves, which begins at 32,768 or later. */
const [lowest, count] = [20_000, 12_000];

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

/** Ports that are free at this time, and that no connection is given while their server is away. */
export async function freePorts(wanted: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < wanted) {
    const port = lowest + Math.floor(Math.random() * count);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}
