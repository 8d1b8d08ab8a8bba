import { createWriteStream } from "node:fs";
import { createGzip } from "node:zlib";
import { encode, formatNdjson, iterate, pipeline, reader, toBytes } from "../../../mod.ts";
import { fromNode } from "../../../node_compat/mod.ts";
import { answer } from "../answer.ts";
import type { Jobs } from "../job.ts";

const toFile = (path: string) => fromNode(createWriteStream(path), { as: "writable" });

export const blocks: Jobs = {
  async file({ rows, outputPath }) {
    await pipeline(rows(), formatNdjson(), encode(), toFile(outputPath));
  },
  async gzip({ rows, outputPath }) {
    const gzip = fromNode<Uint8Array>(createGzip(), { as: "pair" });
    await pipeline(rows(), formatNdjson(), encode(), gzip, toFile(outputPath));
  },
  response: ({ rows }) =>
    answer((response) =>
      pipeline(rows(), formatNdjson(), encode(), fromNode(response, { as: "writable" }))
    ),
  body({ rows }) {
    const lines = iterate(rows(), formatNdjson(), encode());
    return new Response(reader(lines, { highWaterMark: 0 })).bytes();
  },
  bytes: ({ rows }) => toBytes(rows(), formatNdjson(), encode()),
};
