import type { IncomingMessage, ServerResponse } from "node:http";
import { answerFromFolder } from "../answer.ts";
import { checkPath } from "../check_path.ts";
import type { FolderOptions } from "../handler_options.ts";
import { nodeHandler, type NodeOptions } from "./node_handler.ts";
import { readSettings } from "../read_settings.ts";

/** Options of `fileHandler`. */
export interface FileHandlerOptions extends FolderOptions<IncomingMessage> {
  /**
   * Whether `next`, if there is one, is called instead of a 404 or 405: where there is no file, or the
   * method is neither GET nor HEAD. Default: true.
   */
  fallthrough?: boolean | undefined;
}

/** What `fileHandler` makes: answers a request, or calls `next`; settles when that is over, and never rejects. */
export type FileHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: () => void,
) => Promise<void>;

/** What `fileHandler` makes, for a server that keeps a log. */
export function serverHandler(
  root: string | URL,
  options: FileHandlerOptions,
  onEnd?: NodeOptions["onEnd"],
): FileHandler {
  const action = "create file handler";
  const folder = checkPath(action, "root", root);
  const settings = readSettings(action, options, "boolean", true);
  return nodeHandler(answerFromFolder(folder, settings), settings, { ...options, onEnd });
}

/**
 * Makes a handler that serves the files of a folder: for `node:http`, Express, and whatever else calls
 * `(request, response, next)`. It does what `fileHandler` of `@hosepipe/streams/files` does, and behaves alike.
 *
 * @param root The folder, absolute or from the working directory, or a `file:` URL.
 * @param options What is served, and how.
 * @throws {TypeError} If an option is unknown or of the wrong type.
 * @throws {RangeError} If an option is out of range.
 *
 * @example
 * ```ts
 * import { fileHandler } from "@hosepipe/streams/node";
 * import { createServer } from "node:http";
 * import { once } from "node:events";
 * import assert from "node:assert/strict";
 *
 * const server = createServer(fileHandler(".", { headers: { "x-served-by": "hosepipe" } }));
 * server.listen(0, "127.0.0.1");
 * await once(server, "listening");
 * const { port } = server.address() as { port: number };
 *
 * const response = await fetch(`http://127.0.0.1:${port}/package.json`);
 * assert.deepEqual(response.headers.get("x-served-by"), "hosepipe");
 * assert((await response.text()).startsWith("{"));
 * server.close();
 * server.closeAllConnections();
 * await once(server, "close");
 * ```
 */
export function fileHandler(root: string | URL, options: FileHandlerOptions = {}): FileHandler {
  return serverHandler(root, options);
}
