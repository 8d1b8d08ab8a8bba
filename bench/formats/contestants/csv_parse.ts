import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { parse } from "csv-parse";
import { stringify } from "csv-stringify";
import type { RunFormat } from "../job.ts";

export const csvParse: RunFormat = async ({ kind, bytes, rows, take }) => {
  const [source, stage] = kind === "write-csv"
    ? [rows, stringify({ header: true, record_delimiter: "windows" })]
    : [bytes, parse({ columns: true })];
  stage.on("data", kind === "write-csv" ? (text: Uint8Array) => take(`${text}`) : take);
  await pipeline(Readable.from(source), stage);
};
