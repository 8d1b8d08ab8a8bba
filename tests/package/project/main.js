import { map, pipeline } from "@hosepipe/streams";
import { fileHandler } from "@hosepipe/streams/files";
import * as node from "@hosepipe/streams/node";
import { virtualTime } from "@hosepipe/streams/testing";

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

const { status } = await fileHandler(".")(new Request("http://localhost/package.json"));
if (status !== 200) throw new Error(`the file handler answered ${status}`);

const time = virtualTime();
await time.run(new Promise((resolve) => setTimeout(resolve, 60_000)));
time.restore();
if (time.now !== 60_000) throw new Error(`the time is ${time.now}`);
