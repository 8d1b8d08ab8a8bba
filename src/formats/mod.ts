/**
 * Formats that people pipe, as stages that stand hostile input: NDJSON, CSV, server-sent events and multipart bodies.
 *
 * ```ts
 * import { parseCsv } from "@hosepipe/streams/formats";
 * import { toArray } from "@hosepipe/streams";
 * import assert from "node:assert/strict";
 *
 * const rows = await toArray(["id,name\n1,Ann\n"], parseCsv({ columns: { id: Number, name: String } }));
 *
 * assert.deepEqual(rows, [{ id: 1, name: "Ann" }]);
 * ```
 *
 * @module
 */

export { type CsvRow, type CsvValue, formatCsv, type FormatCsvOptions } from "./format_csv.ts";
export { type CsvColumns, type CsvProblem, parseCsv, type ParseCsvOptions } from "./parse_csv.ts";
export type { DecodingOptions } from "../decoding_options.ts";
export { formatNdjson } from "../stages/format_ndjson.ts";
export { parseNdjson, type ParseNdjsonOptions } from "../stages/parse_ndjson.ts";
export { formatSse, type SseMessage } from "./format_sse.ts";
export { parseSse, type ParseSseOptions } from "./parse_sse.ts";
export type { SseEvent, SseListener } from "./sse_splitter.ts";
export { sseResponse, type SseResponseOptions } from "./sse_response.ts";
export { sseSource, type SseSourceOptions } from "./sse_source.ts";
export type { MultipartPart } from "./multipart_reader.ts";
export { parseMultipart, type ParseMultipartOptions } from "./parse_multipart.ts";
