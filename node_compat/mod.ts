/**
 * The stages on `node:stream`, with the same names and options as on Web Streams, so that code is written once and
 * runs on either API; and adapters between the two.
 *
 * Every stream is in object mode with a high-water mark of 1 chunk by default, as on Web Streams, where node itself
 * takes 16. `size` is refused: node's object mode counts every chunk as 1. Errors keep their identity: a falsy one,
 * which node would take for "no error", is wrapped in a {@linkcode StageError}.
 *
 * ```ts
 * import { pipeline, reader, transformer, writer } from "@hosepipe/streams/node";
 * import assert from "node:assert/strict";
 *
 * const written: number[] = [];
 * await pipeline(
 *   reader([1, 2, 3, 4], { batchSize: 2 }),
 *   transformer<number, number>({
 *     transform: (chunk, controller) => controller.enqueue(chunk * 10),
 *   }),
 *   writer((chunk: number) => void written.push(chunk), { concurrency: 2 }),
 * );
 * assert.deepEqual(written, [10, 20, 30, 40]);
 * ```
 *
 * @module
 */
export {
  type FileHandler,
  fileHandler,
  type FileHandlerOptions,
} from "../src/files/node/file_handler.ts";
export { gzip, type GzipOptions } from "./gzip.ts";
export { fromNode, type FromNodeOptions } from "./from_node.ts";
export { pipeline, type PipelineOptions, type PipelinePart } from "./pipeline.ts";
export { type NodeProbe, probe, type ProbeStreamOptions } from "./probe.ts";
export { reader, type ReaderOptions } from "./reader.ts";
export type { RunMessage } from "./run_channel.ts";
export type { Batch, BatchFunction, ReaderSource } from "../src/sources/batch_source.ts";
export { sendFile, type SendFileOptions } from "../src/files/node/send_file.ts";
export {
  type ServedProbe,
  serveProbe,
  type ServeProbeOptions,
} from "../src/probe_server/serve_probe.ts";
export { StageError } from "../src/source/stage_error.ts";
export { type AdapterOptions, toNode } from "./to_node.ts";
export { transformer, type TransformerOptions } from "./transformer.ts";
export { writer, type WriterOptions } from "./writer.ts";
export type {
  FileHeaders,
  FolderOptions,
  SendOptions,
  ServeMode,
} from "../src/files/handler_options.ts";
export type { Transformer } from "../src/web_types.ts";
