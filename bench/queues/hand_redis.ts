import { Redis } from "ioredis";
import { batchSize, type OpenContestant, toRow } from "./contestant.ts";

/** A loop on a stream of Redis. What a worker that dies had taken is left there. */
export function open(address: string): Promise<OpenContestant> {
  const client = new Redis(address);
  return Promise.resolve({
    setUp: async () => void await client.xgroup("CREATE", "by_hand", "workers", "0", "MKSTREAM"),
    async send(bodies) {
      const sending = client.pipeline();
      for (const body of bodies) sending.xadd("by_hand", "*", "body", body);
      await sending.exec();
    },
    work(save) {
      let isStopped = false;
      const reader = client.duplicate();
      const args = ["COUNT", batchSize, "BLOCK", 100, "STREAMS", "by_hand", ">"];
      const work = async () => {
        while (!isStopped) {
          const found = await reader.call(
            ...["XREADGROUP", "GROUP", "workers", `${Math.random()}`] as const,
            ...args,
          ) as unknown[] | null;
          // One stream's reply is in a list, or is a map of one that was made a list.
          const reply = Array.isArray(found?.[0]) ? found[0] : found;
          const entries = (reply?.[1] ?? []) as [string, string[]][];
          if (entries.length === 0) continue;
          await save(entries.map(([, fields]) => toRow(fields[1]!)));
          const ids = entries.map(([id]) => id);
          await client.multi().xack("by_hand", "workers", ...ids).xdel("by_hand", ...ids).exec();
        }
        reader.disconnect();
      };
      const running = work();
      return Promise.resolve(async () => {
        isStopped = true;
        await running;
      });
    },
    close: () => Promise.resolve(client.disconnect()),
  });
}
