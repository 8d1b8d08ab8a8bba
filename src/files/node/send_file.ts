import type { IncomingMessage, ServerResponse } from "node:http";
import { answerOneFile } from "../answer.ts";
import { checkPath } from "../check_path.ts";
import type { SendOptions } from "../handler_options.ts";
import { nodeHandler } from "./node_handler.ts";
import { readSettings } from "../read_settings.ts";

/** Options of `sendFile`. */
export interface SendFileOptions extends SendOptions<IncomingMessage> {
  /** Whether `next`, if there is one, is called instead of a 404 or 405. Default: true. */
  fallthrough?: boolean | undefined;
}

/**
 * Answers a request of `node:http` with one file, as `sendFile` of `@hosepipe/streams/files` does.
 * The path comes from your application and is trusted.
 *
 * @param request What is answered; its URL does not matter.
 * @param response Where the answer goes.
 * @param path The file, absolute or from the working directory, or a `file:` URL.
 * @param options How it is sent.
 * @param next Called where there is no such file, if there is something to call.
 * @returns Settles when the answer is over.
 * @throws {TypeError} If an option is unknown or of the wrong type.
 * @throws {RangeError} If an option is out of range.
 *
 * @example
 * ```ts
 * import { sendFile } from "@hosepipe/streams/node";
 * import { createServer } from "node:http";
 * import { once } from "node:events";
 * import assert from "node:assert/strict";
 *
 * const server = createServer((request, response) => sendFile(request, response, "package.json"));
 * server.listen(0, "127.0.0.1");
 * await once(server, "listening");
 * const { port } = server.address() as { port: number };
 *
 * const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { range: "bytes=0-0" } });
 * assert.deepEqual([response.status, await response.text()], [206, "{"]);
 * server.close();
 * server.closeAllConnections();
 * await once(server, "close");
 * ```
 */
export async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  path: string | URL,
  options: SendFileOptions = {},
  next?: () => void,
): Promise<void> {
  const settings = readSettings("send file", options, "boolean", false);
  const answer = answerOneFile(checkPath("send file", "path", path), settings);
  await nodeHandler(answer, settings, options)(request, response, next);
}
