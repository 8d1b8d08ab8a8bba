import type { Contestant } from "../measure/workload.ts";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** What is read or written. */
export type FormatKind = "read-csv" | "read-quoted-csv" | "write-csv" | "read-events" | "read-form";

/** A text of a format in chunks of 64 KiB, or rows to be written. */
interface FormatJob {
  readonly kind: FormatKind;
  readonly bytes: readonly Uint8Array<ArrayBuffer>[];
  readonly rows: readonly Readonly<Record<string, string>>[];
  /** The boundary of a form. */
  readonly boundary: string;
  /** Takes a row as an object, the text of lines, an event's data, or bytes of a form's file. */
  take(value: unknown): void;
}

/** Runs the job; a contestant is one such function. */
export type RunFormat = (job: FormatJob) => Promise<void>;

/** Every contestant of formats. */
export const contestants: readonly Contestant<RunFormat>[] = [
  {
    name: "pipeline",
    about: "hosepipe: parseCsv, formatCsv, parseSse, parseMultipart",
    load: async () => {
      const { pipeline: runPipeline } = await import("../../mod.ts");
      const { formatCsv, parseCsv, parseMultipart, parseSse } = await import(
        "../../src/formats/mod.ts"
      );

      return async ({ kind, bytes, rows, boundary, take }) => {
        switch (kind) {
          case "write-csv":
            await runPipeline(rows, formatCsv(), take);
            break;
          case "read-events":
            await runPipeline(bytes, parseSse(), ({ data }) => take(data));
            break;
          case "read-form":
            for await (const { body } of parseMultipart(bytes, { boundary })) {
              await runPipeline(body, take);
            }
            break;
          default:
            await runPipeline(bytes, parseCsv(), take);
        }
      };
    },
  },
  {
    name: "papaparse",
    about: "papaparse: CSV, from the whole text",
    package: "papaparse",
    takes: ({ job }) => String(job).endsWith("csv"),
    load: async () => {
      const { default: papa } = await import("papaparse");

      /** It reads text alone, so that the bytes are decoded first; `step` is its way without all rows in memory. */
      return ({ kind, bytes, rows, take }) => {
        if (kind === "write-csv") {
          take(`${papa.unparse(rows as object[], { newline: "\r\n" })}\r\n`);
        } else {
          const decoder = new TextDecoder();
          const text = bytes.map((block) => decoder.decode(block, { stream: true })).join("");
          papa.parse(text, {
            header: true,
            skipEmptyLines: true,
            step: ({ data }: { readonly data: unknown }) => take(data),
          });
        }
        return Promise.resolve();
      };
    },
  },
  {
    name: "csv-parse",
    about: "csv-parse and csv-stringify: CSV, as node:stream",
    package: "csv-parse",
    takes: ({ job }) => String(job).endsWith("csv"),
    load: async () => {
      const { parse } = await import("csv-parse");
      const { stringify } = await import("csv-stringify");

      return async ({ kind, bytes, rows, take }) => {
        const [source, stage] = kind === "write-csv"
          ? [rows, stringify({ header: true, record_delimiter: "windows" })]
          : [bytes, parse({ columns: true })];
        stage.on("data", kind === "write-csv" ? (text: Uint8Array) => take(`${text}`) : take);
        await pipeline(Readable.from(source), stage);
      };
    },
  },
  {
    name: "eventsource-parser",
    about: "eventsource-parser: events, chunk by chunk",
    package: "eventsource-parser",
    takes: ({ job }) => job === "read-events",
    whyFaster:
      "eventsource-parser gives each event to a callback; hosepipe passes it on as a chunk of a stream.",
    load: async () => {
      const { createParser } = await import("eventsource-parser");

      return ({ bytes, take }) => {
        const decoder = new TextDecoder();
        const parser = createParser({ onEvent: ({ data }) => take(data) });
        for (const block of bytes) parser.feed(decoder.decode(block, { stream: true }));
        return Promise.resolve();
      };
    },
  },
  {
    name: "busboy",
    about: "busboy: forms, as node:stream",
    package: "busboy",
    takes: ({ job }) => job === "read-form",
    whyFaster:
      "busboy and hosepipe both look for the boundary and pass on the bytes between; the difference is noise.",
    load: async () => {
      const { default: busboy } = await import("busboy");

      return async ({ bytes, boundary, take }) => {
        const reader = busboy({
          headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
        });
        reader.on("file", (_name: string, file: Readable) => void file.on("data", take));
        await pipeline(Readable.from(bytes), reader);
      };
    },
  },
];
