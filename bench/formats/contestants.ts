import type { Contestant } from "../measure/workload.ts";
import type { RunFormat } from "./job.ts";

/** Every contestant of formats. */
export const contestants: readonly Contestant<RunFormat>[] = [
  {
    name: "pipeline",
    about: "hosepipe: parseCsv, formatCsv, parseSse, parseMultipart",
    load: async () => (await import("./contestants/pipeline.ts")).pipeline,
  },
  {
    name: "papaparse",
    about: "papaparse: CSV, from the whole text",
    package: "papaparse",
    takes: ({ job }) => String(job).endsWith("csv"),
    load: async () => (await import("./contestants/papaparse.ts")).papaparse,
  },
  {
    name: "csv-parse",
    about: "csv-parse and csv-stringify: CSV, as node:stream",
    package: "csv-parse",
    takes: ({ job }) => String(job).endsWith("csv"),
    load: async () => (await import("./contestants/csv_parse.ts")).csvParse,
  },
  {
    name: "eventsource-parser",
    about: "eventsource-parser: events, chunk by chunk",
    package: "eventsource-parser",
    takes: ({ job }) => job === "read-events",
    whyFaster:
      "eventsource-parser gives each event to a callback; hosepipe passes it on as a chunk of a stream.",
    load: async () => (await import("./contestants/eventsource_parser.ts")).eventsourceParser,
  },
  {
    name: "busboy",
    about: "busboy: forms, as node:stream",
    package: "busboy",
    takes: ({ job }) => job === "read-form",
    whyFaster:
      "busboy and hosepipe both look for the boundary and pass on the bytes between; the difference is noise.",
    load: async () => (await import("./contestants/busboy.ts")).readByBusboy,
  },
];
