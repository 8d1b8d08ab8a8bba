// deno-lint-ignore-file no-explicit-any -- stages of several libraries, some without types
import type { CheckedStage, CheckStageOptions } from "@hosepipe/streams/testing";

/** A stage of another library or of the runtime, and the laws that it is known to break in some runtime. */
export interface StageOfOthers {
  readonly name: string;
  readonly make: () => CheckedStage;
  readonly chunks: readonly unknown[];
  readonly options?: CheckStageOptions;
  readonly breaks: readonly string[];
}

const load = (path: string): Promise<any> => import(path);
const encoder = new TextEncoder();
// Each beginning of it is whole, too.
const text = ["a,1", "1\nb,", "2\n", "c,3\n", "d,4\n", "e,5\n", "f,6\n", "g,7\n", "h,8\n"];
const bytes = text.map((chunk) => encoder.encode(chunk));
const rows = text.map((_, n) => ["a", `${n}`]);
const sent = text.map((_, n) => `data: ${n}\n\n`);
// Their own marks are 64 Ki characters and 256 rows: these are a transform stream's.
const marks = [{}, { highWaterMark: 1 }, { highWaterMark: 0 }];
const header = ["name", "n"];
const ofIterators = ["laziness", "cancel", "abort", "sinkError"];

async function zip(): Promise<unknown[]> {
  const readable = new Blob(bytes as any).stream().pipeThrough(new CompressionStream("gzip"));
  const whole = new Uint8Array(await new Response(readable).arrayBuffer());
  return [0, 12, 24, 36].map((from) => whole.slice(from, from === 36 ? undefined : from + 12));
}

/** Those that docs/laws.md has in its table. */
export async function stagesOfOthers(): Promise<readonly StageOfOthers[]> {
  const streams = await load("deno-std/streams/mod.js");
  const csv = await load("deno-std/csv/mod.js");
  const events = await load("eventsource-parser/stream");
  const csvParse = await load("csv-parse/stream");
  const toolbox = await load("web-csv-toolbox");
  const row = (
    name: string,
    make: () => any,
    chunks: readonly unknown[],
    breaks: readonly string[] = [],
    options: CheckStageOptions = {},
  ): StageOfOthers => ({ name, make, chunks, options, breaks });
  const partOfFile = "a part of a file is none";
  return [
    row("TextLineStream", () => new streams.TextLineStream(), text),
    row("TextDelimiterStream", () => new streams.TextDelimiterStream(","), text),
    row("DelimiterStream", () => new streams.DelimiterStream(encoder.encode("\n")), bytes),
    row("ByteSliceStream", () => new streams.ByteSliceStream(0, 1000), bytes),
    row("ByteSliceStream, of a part", () => new streams.ByteSliceStream(0, 5), bytes),
    row("LimitedBytesTransformStream", () => new streams.LimitedBytesTransformStream(1000), bytes),
    row(
      "LimitedBytesTransformStream, of a part",
      () => new streams.LimitedBytesTransformStream(5),
      bytes,
    ),
    row("LimitedTransformStream", () => new streams.LimitedTransformStream(1000), text),
    row("LimitedTransformStream, of a part", () => new streams.LimitedTransformStream(2), text),
    row(
      "toTransformStream",
      () =>
        streams.toTransformStream(async function* (source: any) {
          for await (const chunk of source) yield chunk;
        }),
      text,
      ofIterators,
    ),
    row("CsvParseStream", () => new csv.CsvParseStream(), text, ofIterators),
    row("CsvStringifyStream", () => new csv.CsvStringifyStream(), rows),
    row("EventSourceParserStream", () => new events.EventSourceParserStream(), sent),
    row("parse of csv-parse", () => csvParse.parse(), bytes, ["laziness", "boundedReading"]),
    row("StringCSVParserStream", () => {
      const parser = toolbox.createStringCSVParser({ header });
      return new toolbox.StringCSVParserStream(parser, ...marks);
    }, text),
    row("BinaryCSVParserStream", () => {
      const parser = toolbox.createBinaryCSVParser({ header });
      return new toolbox.BinaryCSVParserStream(parser, ...marks);
    }, bytes),
    row("TextDecoderStream", () => new TextDecoderStream(), bytes, ["laziness"]),
    row("TextEncoderStream", () => new TextEncoderStream(), text, ["laziness"]),
    row("CompressionStream", () => new CompressionStream("gzip"), bytes, [
      ...["laziness", "cancel", "sourceError", "sinkError"],
    ], { io: true }),
    row("DecompressionStream", () => new DecompressionStream("gzip"), await zip(), [
      ...["laziness", "cancel"],
    ], {
      io: true,
      skip: Object.fromEntries(
        ["ends", "output", "pace", "sinkError", "sourceError"].map((law) => [law, partOfFile]),
      ),
    }),
  ];
}
