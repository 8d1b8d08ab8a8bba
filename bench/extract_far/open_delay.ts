import { Worker } from "node:worker_threads";

/** A server as if it were far away. */
export interface DelayedServer {
  readonly address: string;
  close(): Promise<void>;
}

/** Puts a proxy in a thread of its own before a server on this machine; it adds `delayMs` to each round trip. */
export async function openDelay(address: string, delayMs: number): Promise<DelayedServer> {
  const { hostname, port } = new URL(address);
  const worker = new Worker(new URL("./delay_proxy.ts", import.meta.url), {
    workerData: { host: hostname, port: Number(port), delayMs },
  });
  const ours = await new Promise<number>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  return {
    address: address.replace(/^(\w+:\/\/(?:[^@/]*@)?)[^/?]+/, `$1127.0.0.1:${ours}`),
    async close() {
      await worker.terminate();
    },
  };
}
