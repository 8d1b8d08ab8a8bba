import { createGzip } from "node:zlib";
import type { RealWorker } from "../job.ts";
import { parse, total } from "../steps.ts";

export const hand: RealWorker = {
  // deno-lint-ignore require-await -- a contestant answers with a promise
  async json({ texts, take }) {
    for (const text of texts()) take(total(parse(text)));
  },
  gzip: ({ chunks, take }) =>
    new Promise((resolve, reject) => {
      const gzip = createGzip().on("data", take).on("end", resolve).on("error", reject);
      for (const chunk of chunks()) gzip.write(chunk);
      gzip.end();
    }),
};
