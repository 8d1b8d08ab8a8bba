import { parentPort, workerData } from "node:worker_threads";
import { BadRowError } from "../bad_row_error.ts";
import { createFormat } from "../formats/create_format.ts";
import { openSource } from "../open_source.ts";
import { readPieces } from "../to_piece.ts";
import type { RowSource, Span } from "../source.ts";
import { SkipCounter } from "../skipped.ts";
import type { FromThread, ThreadSettings, ToThread } from "./thread_messages.ts";

/** Bytes from which on they are sent. */
const pieceBytes = 32_768;

/** Bytes that a piece seldom needs more of. */
const memoryBytes = 131_072;

const { address, selection, aheadBytes, onBadRow, batchSize, projection, ...settings } =
  workerData as ThreadSettings;
const port = parentPort!;
const encoder = new TextEncoder();
/** Memory that has come back: new one for each piece would come from an allocator that keeps it. */
const spare: ArrayBuffer[] = [];
let unwrittenBytes = 0;
let stalledMs = 0;
let wake = () => {};

function post(message: FromThread, transfer: ArrayBuffer[] = []): void {
  port.postMessage(message, transfer);
}

async function waitForRoom(): Promise<void> {
  const startedAtMs = performance.now();
  while (unwrittenBytes >= aheadBytes) await new Promise<void>((resolve) => wake = resolve);
  stalledMs += performance.now() - startedAtMs;
}

function postFailure(error: unknown): void {
  post({
    kind: "failure",
    message: error instanceof Error ? error.message : String(error),
    code: (error as { code?: unknown } | undefined)?.code,
    badRow: error instanceof BadRowError ? [error.row, error.reason] : undefined,
  });
}

const format = createFormat(settings.format);

async function read(source: RowSource, part: Span): Promise<void> {
  const skips = new SkipCounter(onBadRow);
  let memory = spare.pop() ?? new ArrayBuffer(memoryBytes);
  let length = 0;
  let [rows, rowsRead] = [0, 0];
  let at: number | undefined;
  const postPiece = async () => {
    if (length === 0 && rows === 0) return;
    unwrittenBytes += length;
    post({ kind: "piece", text: new Uint8Array(memory, 0, length), rows, at }, [memory]);
    memory = spare.pop() ?? new ArrayBuffer(memoryBytes);
    length = rows = 0;
    if (unwrittenBytes >= aheadBytes) await waitForRoom();
  };
  const add = async (more: string | Uint8Array) => {
    for (let rest = more; rest.length > 0;) {
      const room = new Uint8Array(memory, length);
      let taken = Math.min(room.length, rest.length);
      if (typeof rest === "string") {
        const { read, written } = encoder.encodeInto(rest, room);
        length += written;
        taken = read;
      } else {
        room.set(rest.subarray(0, taken));
        length += taken;
      }
      rest = typeof rest === "string" ? rest.slice(taken) : rest.subarray(taken);
      if (length >= pieceBytes || rest.length > 0) await postPiece();
    }
  };
  try {
    const options = {
      ...{ part, isFirst: false, batchSize, projection, keyEveryBytes: undefined },
      onRow: () => void rowsRead++,
      onBadRow: skips.onBadRow,
    };
    for await (const piece of readPieces(source, format, settings.format, options)) {
      const { text, release } = piece;
      if (typeof text === "string" || text instanceof Uint8Array) await add(text);
      else for (const some of text) await add(some);
      release?.();
      rows += piece.rows;
      at = piece.at;
    }
    await postPiece();
    post({ kind: "end", read: rowsRead, skipped: skips.reasons, stalledMs });
    stalledMs = 0;
  } catch (error) {
    await postPiece();
    postFailure(error);
  } finally {
    spare.push(memory);
  }
}

try {
  const source = await openSource(address, selection);
  let reading = Promise.resolve();
  port.on("message", (message: ToThread) => {
    if ("part" in message) reading = reading.then(() => read(source, message.part));
    else {
      unwrittenBytes -= message.writtenBytes;
      if (message.memory.byteLength === memoryBytes) spare.push(message.memory);
      wake();
    }
  });
  post({ kind: "ready" });
} catch (error) {
  postFailure(error);
}
