import type { BufferKind, HoseView } from "../hose/hose_view.ts";
import type { ProbeEvent } from "@hosepipe/streams/inspect";

const phrases: Readonly<Record<ProbeEvent["event"], string>> = {
  read: "reads",
  transform: "begins on",
  write: "begins to write",
  written: "has written",
  end: "has no more",
  final: "is done",
  backpressure: "is asked to pause",
  drain: "is asked for more",
  error: "fails",
  cancel: "is cancelled",
};

/** An event without its time: "transformer begins on 4". */
export function eventPhrase(
  { stage, event, id, reason }: Pick<ProbeEvent, "stage" | "event" | "id" | "reason">,
): string {
  const chunk = id === undefined ? "" : ` ${id}`;
  return `${stage} ${phrases[event]}${chunk}${reason === undefined ? "" : `: ${reason}`}`;
}

/** One line of a log. */
export function describeEvent(event: ProbeEvent): string {
  return `${formatSeconds(event.timeMs)}: ${eventPhrase(event)}`;
}

/** What each buffer is called. */
export const bufferNames: Readonly<Record<BufferKind, string>> = {
  readerOut: "reader out",
  transformerIn: "transformer in",
  transformerOut: "transformer out",
  writerIn: "writer in",
};

/** The picture in words. */
export function describeHose({ buffers, read, written }: HoseView): string {
  const places = buffers.filter(({ mark }) => mark !== undefined).map(
    ({ kind, waiting, inHand, mark, desiredSize }) =>
      `${bufferNames[kind]}: ${waiting + inHand} of ${mark}, desiredSize ${desiredSize}`,
  );
  return `${places.join("; ")}. ${formatCount(read)} read, ${formatCount(written)} written.`;
}

/** A number with its thousands kept apart, and a real minus. */
export function formatCount(count: number): string {
  return count.toLocaleString("en-GB").replace("-", "−");
}

/** "1 chunk", "2 chunks". */
export function formatChunks(count: number): string {
  return `${formatCount(count)} ${count === 1 ? "chunk" : "chunks"}`;
}

/** A time in seconds, as a log has it. */
export function formatSeconds(timeMs: number): string {
  return `${(timeMs / 1000).toFixed(timeMs < 100_000 ? 2 : 1)} s`;
}

/** A number of bytes in the unit that suits it. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 ** 2) return `${(bytes / 1024).toFixed(0)} KiB`;
  return `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}

/** A duration of a chunk's way in the unit that suits it. */
export function formatNanoseconds(ns: number): string {
  if (ns < 1000) return `${ns.toPrecision(3)} ns`;
  if (ns < 1e6) return `${(ns / 1000).toPrecision(3)} µs`;
  return `${(ns / 1e6).toPrecision(3)} ms`;
}
