import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import busboy from "busboy";
import type { RunFormat } from "../job.ts";

export const readByBusboy: RunFormat = async ({ bytes, boundary, take }) => {
  const reader = busboy({
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
  });
  reader.on("file", (_name: string, file: Readable) => void file.on("data", take));
  await pipeline(Readable.from(bytes), reader);
};
