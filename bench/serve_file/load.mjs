/**
 * The load of serve_file, a process of its own under Node: reads the file once to check it, then asks
 * for it over many connections. Use: `node load.mjs URL CONNECTIONS SECONDS`; prints JSON.
 */
import { createHash } from "node:crypto";
import { get } from "node:http";
import process from "node:process";
import autocannon from "autocannon";

const [url, connections, seconds] = process.argv.slice(2);

function digestOf(url) {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      const hash = createHash("sha256");
      response.on("data", (chunk) => hash.update(chunk));
      response.once("error", reject);
      response.once("end", () => resolve(hash.digest("hex")));
    }).once("error", reject);
  });
}

const digest = await digestOf(url);
let bytes = 0;
const startedAt = performance.now();
const result = await autocannon({
  url,
  connections: Number(connections),
  duration: Number(seconds),
  // A slow answer is an answer: only the end of the run ends it.
  timeout: Number(seconds) + 60,
  setupClient(client) {
    // autocannon keeps answers whole, and counts bytes only when one is complete.
    client.pipelinedRequests.addBody = () => {};
    client.on("body", (part) => bytes += part.length);
  },
});
const elapsedMs = performance.now() - startedAt;
const { latency, requests, errors, timeouts, non2xx } = result;
console.log(JSON.stringify({
  digest,
  bytes,
  elapsedMs,
  answers: requests.total,
  p50Ms: latency.p50,
  p99Ms: latency.p99,
  errors: errors + timeouts + non2xx,
}));
