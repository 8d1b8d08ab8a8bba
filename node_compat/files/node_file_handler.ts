import type { IncomingMessage, ServerResponse } from "node:http";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { answer, type FileAnswer, plainAnswer, reasons } from "./answer.ts";
import { FileRange } from "./file_range.ts";
import { type HandlerOptions, readHandlerOptions } from "./handler_options.ts";
import { readWhole } from "./read_whole.ts";
import { reader } from "../reader.ts";

/** Answers a request of `node:http`; settles when the answer is over, and never rejects. */
export type NodeFileHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Reads a header; repeated lines are one list, as `Headers` has it and `node:http` not always. */
function headerOf({ rawHeaders }: IncomingMessage, name: string): string | undefined {
  const values = rawHeaders.filter((_, index) =>
    index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === name
  );
  return values.length > 0 ? values.join(", ") : undefined;
}

function writeHead(response: ServerResponse, { status, headers }: FileAnswer): void {
  response.writeHead(status, reasons[status]!, { ...headers });
}

/** Writes chunks to a response, and gives each back for the next read once it has left. */
function responseSink(response: ServerResponse, chunks: FileRange): Writable {
  const sink = new Writable({
    objectMode: true,
    highWaterMark: 1,
    write(chunk, _encoding, callback) {
      response.write(chunk, (error) => {
        if (error === undefined || error === null) chunks.release(chunk);
        callback(error);
      });
    },
    final(callback) {
      response.end(callback);
    },
    destroy(error, callback) {
      response.off("close", leave);
      if (error !== null) response.destroy();
      callback(error);
    },
  });
  const leave = () => {
    if (!response.writableFinished) sink.destroy(new Error("Cannot write: the client has left"));
  };
  response.once("close", leave);
  return sink;
}

/**
 * The twin of the Web `fileHandler` on `node:http` and `node:stream`.
 *
 * @throws {TypeError} If an option is unknown or of the wrong type.
 * @throws {RangeError} If an option is out of range.
 */
export function nodeFileHandler(options: HandlerOptions): NodeFileHandler {
  const { root, mode, chunkSize, idleTimeoutMs } = readHandlerOptions(options);

  async function send(response: ServerResponse, found: FileAnswer): Promise<void> {
    if (found.body === undefined || typeof found.body === "string") {
      writeHead(response, found);
      response.end(found.body);
      return;
    }
    const { file, range } = found.body;
    const { start, end } = range;
    if (mode === "buffer" || end - start <= chunkSize) {
      // Whole even for a part of it: that is what the mode «buffer» shows the cost of.
      const bytes = mode === "buffer"
        ? (await readWhole(file, { start: 0, end: file.facts.size })).subarray(start, end)
        : await readWhole(file, range);
      writeHead(response, found);
      response.end(bytes);
      return;
    }
    const chunks = new FileRange(file, range, { chunkSize, idleTimeoutMs });
    // The client may have left while the file was being opened.
    if (response.destroyed) return void await chunks.return();
    writeHead(response, found);
    try {
      await pipeline(reader(chunks, { highWaterMark: 0 }), responseSink(response, chunks));
    } finally {
      await chunks.return();
    }
  }

  return async (request, response) => {
    const { method = "", url = "" } = request;
    try {
      const header = (name: string) => headerOf(request, name);
      await send(response, await answer(root, { method, target: url, header }));
    } catch {
      // What went wrong is the disk's, and nobody outside is told: not even by a sound end.
      if (response.headersSent) response.destroy();
      else await send(response, plainAnswer(500, method === "HEAD"));
    }
  };
}
