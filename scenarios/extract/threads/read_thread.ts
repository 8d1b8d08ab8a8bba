import { parentPort, workerData } from "node:worker_threads";
import { BadDocumentError } from "../bad_document_error.ts";
import { csvFormat } from "../csv_format.ts";
import { fieldsOf } from "../fields_of.ts";
import { openSource } from "../open_source.ts";
import type { Period } from "../period.ts";
import { SkipCounter } from "../skipped.ts";
import type { MessageSource } from "../source.ts";
import type { FromThread, ThreadSettings, ToThread } from "./thread_messages.ts";

/** UTF-16 units that are sent together. */
const pieceLength = 32_768;

/** Bytes that a piece seldom needs more of. */
const memoryBytes = 131_072;

const { address, aheadBytes, onBadDocument, batchSize, projection, ...csv } =
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
    isBadDocument: error instanceof BadDocumentError,
  });
}

const format = csvFormat(csv);
const fields = fieldsOf(csv.columns);

async function read(source: MessageSource, part: Period): Promise<void> {
  const skips = new SkipCounter(onBadDocument);
  let text = "";
  let rows = 0;
  let lastSentAtMs: number | undefined;
  const postText = () => {
    if (rows === 0) return;
    const bytes = encode(text);
    unwrittenBytes += bytes.length;
    post({ kind: "piece", text: bytes, rows, lastSentAtMs }, [bytes.buffer]);
    text = "";
    rows = 0;
  };
  try {
    const batches = source.read({
      ...{ part, isFirst: false, batchSize, fields, projection },
      onBadDocument: skips.onBadDocument,
    });
    for await (const batch of batches) {
      text += format.lines(batch);
      rows += batch.length;
      lastSentAtMs = batch.at(-1)!.sentAtMs;
      if (text.length < pieceLength) continue;
      postText();
      if (unwrittenBytes >= aheadBytes) await waitForRoom();
    }
    postText();
    post({ kind: "end", skipped: skips.skipped, stalledMs });
    stalledMs = 0;
  } catch (error) {
    postText();
    postFailure(error);
  }
}

try {
  const source = await openSource(address);
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
