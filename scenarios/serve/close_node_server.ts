import type { Server } from "node:http";
import { settleWithin } from "./settle_within.ts";

/** Closes a `node:http` server: idle connections at once, busy ones when they are done or time is up. */
export async function closeNodeServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  if (await settleWithin(closed, graceMs)) return;
  server.closeAllConnections();
  await closed;
}
