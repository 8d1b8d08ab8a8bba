/** A process that stands between a client and a server as if they were far from each other. */
import { type AddressInfo, connect, createServer } from "node:net";
import process from "node:process";

const [host, port, delay] = process.argv.slice(2);
const delayMs = Math.ceil(Number(delay));

const server = createServer({ noDelay: true }, (client) => {
  const upstream = connect({ port: Number(port), host: host!, noDelay: true });
  const end = () => {
    client.destroy();
    upstream.destroy();
  };
  for (const socket of [client, upstream]) socket.on("error", end).on("close", end);
  // What is asked comes later, all of the way's time on one side: a round trip takes it once. Timeouts of the same
  // length end in their order, and not before their time.
  client.on("data", (data) => {
    if (delayMs === 0) upstream.write(data);
    else setTimeout(() => upstream.write(data), delayMs);
  });
  upstream.on("data", (data) => {
    if (!client.write(data)) upstream.pause();
  });
  client.on("drain", () => upstream.resume());
});
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
// However its parent ends, it has no purpose then.
process.stdin.once("close", () => process.exit()).resume();
