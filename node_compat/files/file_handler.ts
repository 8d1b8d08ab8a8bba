import { reader } from "../../src/stages/reader.ts";
import { answer, type FileAnswer, plainAnswer, reasons } from "./answer.ts";
import { FileRange, type FileRangeOptions } from "./file_range.ts";
import { type HandlerOptions, readHandlerOptions } from "./handler_options.ts";
import { readWhole } from "./read_whole.ts";

/** What a server knows that a `Request` does not tell. */
export interface ServerContext {
  /** The request's target as it came; its URL is normalized. */
  readonly target?: string;
  /** See {@linkcode FileRangeOptions}; default: memory is left to the garbage collector. */
  readonly isFree?: FileRangeOptions["isFree"];
  /** Breaks bodies off once it aborts. */
  readonly signal?: AbortSignal;
}

/** Answers a request. */
export type FileHandler = (request: Request, context?: ServerContext) => Promise<Response>;

function toResponse({ status, headers }: FileAnswer, body: BodyInit | null): Response {
  return new Response(body, { status, statusText: reasons[status], headers });
}

/**
 * Makes a handler that serves the files of a folder on Web Streams.
 *
 * @throws {TypeError} If an option is unknown or of the wrong type.
 * @throws {RangeError} If an option is out of range.
 */
export function fileHandler(options: HandlerOptions): FileHandler {
  const { root, mode, chunkSize, idleTimeoutMs } = readHandlerOptions(options);

  async function bodyOf(
    { body }: FileAnswer,
    context: Pick<ServerContext, "isFree" | "signal">,
  ): Promise<BodyInit | null> {
    if (body === undefined || typeof body === "string") return body ?? null;
    const { file, range } = body;
    const { start, end } = range;
    if (mode === "buffer") {
      // Whole even for a part of it: that is what this mode shows the cost of.
      return (await readWhole(file, { start: 0, end: file.facts.size })).subarray(start, end);
    }
    // What fits one chunk needs no stream, and its file is closed before the answer leaves.
    if (end - start <= chunkSize) return await readWhole(file, range);
    const chunks = new FileRange(file, range, { chunkSize, idleTimeoutMs, ...context });
    return reader(chunks, { highWaterMark: 0 });
  }

  return async (request, { target = request.url, ...context } = {}) => {
    try {
      const header = (name: string) => request.headers.get(name) ?? undefined;
      const found = await answer(root, { method: request.method, target, header });
      return toResponse(found, await bodyOf(found, context));
    } catch {
      // What went wrong is the disk's, and nobody outside is told.
      const failed = plainAnswer(500, request.method === "HEAD");
      return toResponse(failed, (failed.body ?? null) as string | null);
    }
  };
}
