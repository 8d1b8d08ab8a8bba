import { map, pipeline } from "@hosepipe/streams";
import * as node from "@hosepipe/streams/node";

const written = [];
const { chunksWritten } = await pipeline(
  [1, 2, 3],
  map((n) => n * 2),
  (n) => void written.push(n),
);
await node.pipeline(
  node.reader(written),
  node.transformer(map((n, index) => `${index}: ${n}`)),
  node.writer((line) => console.log(line)),
);
console.log(`${chunksWritten} written`);
