import { tracingChannel } from "node:diagnostics_channel";
import { pipeline } from "@hosepipe/streams";
import "@hosepipe/streams/node";

// The import alone has runs heard.
const seen = [];
tracingChannel("hosepipe:run").subscribe({
  start: ({ pipeline }) => seen.push(`${pipeline} begins`),
  asyncEnd: ({ pipeline }) => seen.push(`${pipeline} ends`),
});
await pipeline([1], () => {});
console.log(seen.join(", "));
