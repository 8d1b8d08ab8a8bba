import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { SendBody } from "../job.ts";

export const node: SendBody = async ({ pieces, steps, response }) => {
  const transforms = steps.map((step) =>
    new Transform({
      objectMode: true,
      transform: (piece, _, callback) => callback(null, step(piece)),
    })
  );
  await pipeline([Readable.from(pieces), ...transforms, response]);
};
