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
