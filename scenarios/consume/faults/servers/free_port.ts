import { createServer } from "node:net";

/** Below what systems usually give out by themselves, which begins at 32,768 or later. */
const [lowest, count] = [20_000, 7_000];

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === "EADDRINUSE" || error.code === "EACCES";
      if (isTaken) resolve(false);
      else reject(error);
    });
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

/** Ports that are free at this time, and that no connection is likely to be given while their server is away. */
export async function freePorts(wanted: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < wanted) {
    const port = lowest + Math.floor(Math.random() * count);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

/** A port that is free at this time. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}
