import { answerFromFolder } from "./answer.ts";
import { bunContext, type BunServer } from "./bun_context.ts";
import { checkPath } from "./check_path.ts";
import type { FolderOptions } from "./handler_options.ts";
import { readSettings } from "./read_settings.ts";
import { type WebHandler, webHandler } from "./web_handler.ts";

/** Options of `fileHandler`. */
export interface FileHandlerOptions extends FolderOptions<Request> {
  /**
   * Answers instead of a 404 or 405: is asked where there is no file, or the method is neither GET nor
   * HEAD. Default: none.
   */
  fallthrough?: ((request: Request) => Response | Promise<Response>) | undefined;
}

/** What `fileHandler` makes, for servers that tell more than a `Request`. */
export function serverHandler(root: string | URL, options: FileHandlerOptions = {}): WebHandler {
  const action = "create file handler";
  const folder = checkPath(action, "root", root);
  const settings = readSettings(action, options, "function", true);
  return webHandler(answerFromFolder(folder, settings), settings, options);
}

/** Servers give their handlers a second argument of their own: that of `Bun.serve` is the server. */
function isBunServer(server: unknown): server is BunServer {
  return "Bun" in globalThis && typeof (server as Partial<BunServer>)?.timeout === "function";
}

/**
 * Makes a handler that serves the files of a folder: for `Deno.serve`, `Bun.serve`, and whatever else
 * turns a `Request` into a `Response`.
 *
 * It answers GET and HEAD, conditions and one range, reads a file chunk by chunk as fast as the client takes it, and
 * never leaves the root: no `..` in any spelling, no link that leads outside. If a file becomes shorter or is
 * overwritten while it is sent, the body is cut; a file that is renamed, replaced or removed is sent to its end, and
 * one that grows up to the length it had.
 *
 * `Bun.serve` cuts a client that pauses for 10 s, unless the handler is given the server: as it is with
 * `{ fetch: files }`, and otherwise by `files(request, server)`. Then `idleTimeoutMs` is the limit.
 *
 * @param root The folder, absolute or from the working directory, or a `file:` URL.
 * @param options What is served, and how.
 * @throws {TypeError} If an option is unknown or of the wrong type.
 * @throws {RangeError} If an option is out of range.
 *
 * @example
 * ```ts
 * import { fileHandler } from "@hosepipe/streams/files";
 * import assert from "node:assert/strict";
 *
 * const files = fileHandler(".", { cacheControl: "max-age=60" });
 * const response = await files(
 *   new Request("http://localhost/package.json", { headers: { range: "bytes=0-0" } }),
 * );
 *
 * assert.deepEqual(response.status, 206);
 * assert.deepEqual(response.headers.get("cache-control"), "max-age=60");
 * assert.deepEqual(await response.text(), "{");
 * ```
 */
export function fileHandler(
  root: string | URL,
  options: FileHandlerOptions = {},
): (request: Request, server?: unknown) => Promise<Response> {
  const handler = serverHandler(root, options);
  return (request, server) =>
    handler(request, isBunServer(server) ? bunContext(server, request) : {});
}
