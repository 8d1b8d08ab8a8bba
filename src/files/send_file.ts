import { answerOneFile } from "./answer.ts";
import { checkPath } from "./check_path.ts";
import type { SendOptions } from "./handler_options.ts";
import { readSettings } from "./read_settings.ts";
import { webHandler } from "./web_handler.ts";

/** Options of `sendFile`. */
export interface SendFileOptions extends SendOptions<Request> {
  /** Answers instead of a 404 or 405, as in `fileHandler`. Default: none. */
  fallthrough?: ((request: Request) => Response | Promise<Response>) | undefined;
}

/**
 * Answers a request with one file, as `fileHandler` does: with its type, conditions, ranges and bounds.
 *
 * The path comes from your application and is trusted: it may lie anywhere, and links are followed. Never make it
 * from what a client has sent; use `fileHandler` for that.
 *
 * @param request What is answered; its URL does not matter.
 * @param path The file, absolute or from the working directory, or a `file:` URL.
 * @param options How it is sent.
 * @throws {TypeError} If an option is unknown or of the wrong type.
 * @throws {RangeError} If an option is out of range.
 *
 * @example
 * ```ts
 * import { sendFile } from "@hosepipe/streams/files";
 * import assert from "node:assert/strict";
 *
 * const request = new Request("http://localhost/download/17", { method: "HEAD" });
 * const response = await sendFile(request, "package.json", {
 *   headers: { "content-disposition": 'attachment; filename="package.json"' },
 * });
 *
 * assert.deepEqual(response.status, 200);
 * assert.deepEqual(response.headers.get("content-type"), "application/json");
 * ```
 */
export async function sendFile(
  request: Request,
  path: string | URL,
  options: SendFileOptions = {},
): Promise<Response> {
  const settings = readSettings("send file", options, "function", false);
  const answer = answerOneFile(checkPath("send file", "path", path), settings);
  return await webHandler(answer, settings, options)(request);
}
