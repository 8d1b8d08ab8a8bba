import { constants, createGzip, type ZlibOptions } from "node:zlib";
import { checkInteger, checkOptions, throwTypeError } from "../src/errors.ts";
import { isBytes } from "../src/is_bytes.ts";
import { operator } from "../src/kernels/operator.ts";
import type { Bytes, Transformer } from "../src/web_types.ts";

/** How `gzip` compresses. */
export interface GzipOptions {
  /** From 0, not at all, to 9, most. Default: 6. */
  level?: number | undefined;
  /** How much memory it may take, from 1 to 9: less memory compresses less, and faster. Default: 8. */
  memLevel?: number | undefined;
}

const action = "create gzip";

/**
 * Compresses bytes with `node:zlib`, as a stage. Unlike a native `CompressionStream`, it passes on all that it holds
 * when `channel.flushNow()` asks for it: what lets server-sent events go through gzip.
 *
 * @param options `level` (default: 6) and `memLevel` (default: 8).
 * @returns A transformer for `new TransformStream()`, `fuse` and `pipeline`. A chunk that is no `Uint8Array` fails the
 * stream with a `TypeError`.
 * @throws {TypeError} If an option is not a number, or is unknown.
 * @throws {RangeError} If an option is out of range.
 *
 * @example
 * ```ts
 * import { encode, toBytes } from "@hosepipe/streams";
 * import { gzip } from "@hosepipe/streams/node";
 * import { gunzipSync } from "node:zlib";
 * import assert from "node:assert/strict";
 *
 * const bytes = await toBytes(["many ", "lines"], encode(), gzip({ level: 9 }));
 * assert.deepEqual(new TextDecoder().decode(gunzipSync(bytes)), "many lines");
 * ```
 */
export function gzip(options: GzipOptions = {}): Transformer<Uint8Array, Bytes> {
  checkOptions(action, options, ["level", "memLevel"]);
  const settings: ZlibOptions = {};
  for (const [name, least] of [["level", 0], ["memLevel", 1]] as const) {
    const value = options[name];
    if (value === undefined) continue;
    checkInteger(action, name, value, least);
    if (value > 9) {
      throw new RangeError(`Cannot ${action}: ${name} must be at most 9, got ${value}`);
    }
    settings[name] = value;
  }
  return operator<Uint8Array, Bytes>((controller) => {
    const zlib = createGzip(settings);
    zlib.on("data", (chunk: Uint8Array) => {
      // A copy of its own: node's may be a part of a larger buffer.
      controller.enqueue(new Uint8Array(chunk));
    });
    const ended = new Promise<void>((resolve) => zlib.once("end", resolve));
    let fail: (reason: unknown) => void = () => {};
    zlib.on("error", (reason) => fail(reason));
    const settle = (act: (done: (reason?: unknown) => void) => void): Promise<void> =>
      new Promise((resolve, reject) => {
        fail = reject;
        act((reason) => reason === undefined || reason === null ? resolve() : reject(reason));
      });
    return {
      transform(chunk) {
        if (!isBytes(chunk)) throwTypeError("gzip", "a chunk", "a Uint8Array", chunk);
        return settle((done) => zlib.write(chunk, done));
      },
      flush: () => settle((done) => zlib.end(() => void ended.then(() => done()))),
      flushNow: () => settle((done) => zlib.flush(constants.Z_SYNC_FLUSH, () => done())),
      cancel: () => void zlib.destroy(),
    };
  }, { name: "gzip" });
}
