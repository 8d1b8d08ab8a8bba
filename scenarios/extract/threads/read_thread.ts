import { parentPort, workerData } from "node:worker_threads";
import { BadRowError } from "../bad_row_error.ts";
import { createFormat } from "../formats/create_format.ts";
import { openSource } from "../open_source.ts";
import { SkipCounter } from "../skipped.ts";
import type { RowSource } from "../source.ts";
import type { Span } from "../span.ts";
import type { FromThread, ThreadSettings, ToThread } from "./thread_messages.ts";

/** UTF-16 units that are sent together. */
const pieceLength = 32_768;

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

function encode(text: string): Uint8Array<ArrayBuffer> {
  const memory = spare.pop() ?? new ArrayBuffer(memoryBytes);
  const { read, written } = encoder.encodeInto(text, new Uint8Array(memory));
  if (read === text.length) return new Uint8Array(memory, 0, written);
  spare.push(memory);
  return encoder.encode(text);
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
  let text = "";
  let [rows, rowsRead] = [0, 0];
  let at: number | undefined;
  const postText = async () => {
    if (text === "" && rows === 0) return;
    const bytes = encode(text);
    unwrittenBytes += bytes.length;
    post({ kind: "piece", text: bytes, rows, at }, [bytes.buffer]);
    text = "";
    rows = 0;
    if (unwrittenBytes >= aheadBytes) await waitForRoom();
  };
  try {
    const batches = source.read({
      ...{ part, isFirst: false, batchSize, projection },
      onRow: () => void rowsRead++,
      onBadRow: skips.onBadRow,
    });
    for await (const batch of batches) {
      for (
        const more of batch.isLarge ? format.parts(batch.rows[0]!) : [format.lines(batch.rows)]
      ) {
        text += more;
        if (text.length >= pieceLength) await postText();
      }
      rows += batch.rows.length;
      at = batch.at;
    }
    await postText();
    post({ kind: "end", read: rowsRead, skipped: skips.reasons, stalledMs });
    stalledMs = 0;
  } catch (error) {
    await postText();
    postFailure(error);
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
