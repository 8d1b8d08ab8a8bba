/** A thread that stands between a client and a server as if they were far from each other. */
import { type AddressInfo, connect, createServer } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

const { host, port, delayMs } = workerData as { host: string; port: number; delayMs: number };

const server = createServer({ noDelay: true }, (client) => {
  const upstream = connect({ port, host, noDelay: true });
  const end = () => {
    client.destroy();
    upstream.destroy();
  };
  for (const socket of [client, upstream]) socket.on("error", end).on("close", end);
  // What is asked comes later, all of the way's time on one side: a round trip takes it once. Timeouts of the same
  // length end in their order, and not before their time.
  client.on("data", (data) => {
    if (delayMs === 0) upstream.write(data);
    else setTimeout(() => upstream.write(data), Math.ceil(delayMs));
  });
  upstream.on("data", (data) => {
    if (!client.write(data)) upstream.pause();
  });
  client.on("drain", () => upstream.resume());
});
server.listen(
  0,
  "127.0.0.1",
  () => parentPort!.postMessage((server.address() as AddressInfo).port),
);
