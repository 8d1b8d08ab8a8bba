// deno-lint-ignore-file no-explicit-any -- stages of several libraries, some without types
// Checks stages that others wrote by our laws, in the runtime that runs this; prints JSON.
import { checkStage } from "@hosepipe/streams/testing";

const load = (path: string): Promise<any> => import(path);
const streams = await load("deno-std/streams/mod.js");
const csv = await load("deno-std/csv/mod.js");
const events = await load("eventsource-parser/stream");
const csvParse = await load("csv-parse/stream");
const toolbox = await load("web-csv-toolbox");

const encoder = new TextEncoder();
// Each beginning of it is whole, too.
const text = ["a,1", "1\nb,", "2\n", "c,3\n", "d,4\n", "e,5\n", "f,6\n", "g,7\n", "h,8\n"];
const bytes = text.map((chunk) => encoder.encode(chunk));
const rows = text.map((_, n) => ["a", `${n}`]);
const sent = text.map((_, n) => `data: ${n}\n\n`);
async function compressed(): Promise<unknown[]> {
  const readable = new Blob(bytes as any).stream().pipeThrough(new CompressionStream("gzip"));
  const whole = new Uint8Array(await new Response(readable).arrayBuffer());
  return Array.from(
    { length: 4 },
    (_, n) => whole.slice(n * 12, n === 3 ? undefined : n * 12 + 12),
  );
}
const zipped = await compressed();

const cases: [
  packageName: string,
  name: string,
  make: () => any,
  chunks: readonly unknown[],
  more?: object,
][] = [
  ["@std/streams", "TextLineStream", () => new streams.TextLineStream(), text],
  ["@std/streams", "TextDelimiterStream", () => new streams.TextDelimiterStream(","), text],
  [
    "@std/streams",
    "DelimiterStream",
    () => new streams.DelimiterStream(encoder.encode("\n")),
    bytes,
  ],
  ["@std/streams", "ByteSliceStream", () => new streams.ByteSliceStream(0, 1000), bytes],
  [
    "@std/streams",
    "LimitedBytesTransformStream",
    () => new streams.LimitedBytesTransformStream(1000),
    bytes,
  ],
  ["@std/streams", "LimitedTransformStream", () => new streams.LimitedTransformStream(1000), text],
  [
    "@std/streams",
    "toTransformStream",
    () =>
      streams.toTransformStream(async function* (source: any) {
        for await (const chunk of source) yield chunk;
      }),
    text,
  ],
  ["@std/csv", "CsvParseStream", () => new csv.CsvParseStream(), text],
  ["@std/csv", "CsvStringifyStream", () => new csv.CsvStringifyStream(), rows],
  [
    "eventsource-parser",
    "EventSourceParserStream",
    () => new events.EventSourceParserStream(),
    sent,
  ],
  ["csv-parse", "parse", () => csvParse.parse(), bytes],
  // Its own marks are 64 Ki characters and 256 rows: these are a transform stream's.
  [
    "web-csv-toolbox",
    "StringCSVParserStream",
    () =>
      new toolbox.StringCSVParserStream(
        toolbox.createStringCSVParser({ header: ["name", "n"] }),
        {},
        { highWaterMark: 1 },
        { highWaterMark: 0 },
      ),
    text,
  ],
  [
    "web-csv-toolbox",
    "BinaryCSVParserStream",
    () =>
      new toolbox.BinaryCSVParserStream(
        toolbox.createBinaryCSVParser({ header: ["name", "n"] }),
        {},
        { highWaterMark: 1 },
        { highWaterMark: 0 },
      ),
    bytes,
  ],
  ["the runtime", "TextDecoderStream", () => new TextDecoderStream(), bytes],
  ["the runtime", "TextEncoderStream", () => new TextEncoderStream(), text],
  ["the runtime", "CompressionStream", () => new CompressionStream("gzip"), bytes, { io: true }],
  ["the runtime", "DecompressionStream", () => new DecompressionStream("gzip"), zipped, {
    io: true,
    skip: Object.fromEntries(
      ["ends", "output", "pace", "sinkError", "sourceError"].map((
        law,
      ) => [law, "a part of a file is none"]),
    ),
  }],
];

const only = (globalThis as any).process.argv[2];
const found: object[] = [];
for (const [packageName, name, make, chunks, more = {}] of cases) {
  if (only !== undefined && only !== name) continue;
  const { held, failed } = await checkStage(make, { chunks, ...more });
  found.push({ packageName, name, held: held.length, failed });
}
console.log(JSON.stringify(found));
