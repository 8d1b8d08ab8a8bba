/**
 * Serves a folder or one file, from a `Request` to a `Response`, in Deno, Bun and Node. The same functions for
 * `node:http` are in `@hosepipe/streams/node`.
 *
 * ```ts
 * import { fileHandler } from "@hosepipe/streams/files";
 * import assert from "node:assert/strict";
 *
 * // With Deno: Deno.serve(fileHandler("docs")); with Bun: Bun.serve({ fetch: fileHandler("docs") }).
 * const files = fileHandler("docs");
 * assert.deepEqual((await files(new Request("http://localhost/.env"))).status, 404);
 * ```
 *
 * @module
 */
export { fileHandler, type FileHandlerOptions } from "./file_handler.ts";
export type {
  CacheOptions,
  FileHeaders,
  FolderOptions,
  SendOptions,
  ServeMode,
} from "./handler_options.ts";
export { sendFile, type SendFileOptions } from "./send_file.ts";
